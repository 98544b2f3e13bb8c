import { createRequire } from 'node:module';
import type { MarkdownIt, StateBlock, Token } from 'markdown-it';
import { bareHost, isPlainAddress, isSafeLink } from './links.ts';
import { descriptionListRule } from './rules/description-lists.ts';
import { footnoteRule } from './rules/footnotes.ts';
import { frontMatterRule } from './rules/front-matter.ts';
import { imageSizeRule } from './rules/image-sizes.ts';
import { inlineDiffRule } from './rules/inline-diffs.ts';
import { jsonTableRule } from './rules/json-tables.ts';
import { mathRule } from './rules/math.ts';
import { quoteRules } from './rules/quotes.ts';
import { referenceRule } from './rules/references.ts';
import { tableOfContentsRule } from './rules/table-of-contents.ts';
import { taskItemRule } from './rules/task-items.ts';

export type { Token } from 'markdown-it';

/** How deep quotes, lists, brackets and emphasis may stand in one another; what stands deeper is left out or plain. */
const MAX_NESTING = 50;

/**
 * How much work one text may cause. A megabyte of prose stays far below; a megabyte of brackets is over it within a
 * fraction of a second, and is then shown as it was written.
 */
export const MAX_STEPS = 250_000;

/** Thrown from within the parser, and caught by whoever called it. */
export class TooMuchWork extends Error {}

/**
 * What a text may cause that is read while everybody waits. Prose of sixteen kilobytes stays below; as few characters of
 * a table of five hundred columns would take a second.
 */
const QUICK_STEPS = 10_000;

/** Thrown for a text that is to be read in a thread, where nobody waits for it. */
export class BetterElsewhere extends Error {}

// A text is parsed without a pause, so that one bound serves all texts, one after the other.
let quick = false;

/** Reads a text while everybody waits; throws BetterElsewhere where that would take long. */
export function readQuickly<T>(read: () => T): T {
  quick = true;
  try {
    return read();
  } finally {
    quick = false;
  }
}

function limitWork(markdown: MarkdownIt): void {
  let steps = 0;
  const spend = (count: number) => {
    steps += count;
    if (quick && steps > QUICK_STEPS) throw new BetterElsewhere();
    if (steps > MAX_STEPS) throw new TooMuchWork();
  };
  markdown.core.ruler.before('normalize', 'new_budget', () => {
    steps = 0;
  });
  // Both run first wherever the parser looks for what begins at a position, and never claim it.
  markdown.block.ruler.before('table', 'block_budget', () => {
    spend(1);
    return false;
  });
  markdown.inline.ruler.before('text', 'inline_budget', () => {
    spend(1);
    return false;
  });
  // Rows of tables come without asking.
  const { State } = markdown.block;
  markdown.block.State = class extends State {
    override push(...token: Parameters<StateBlock['push']>): Token {
      spend(1);
      return super.push(...token);
    }
  };

  const { normalizeLink, normalizeLinkText } = markdown;
  markdown.normalizeLink = (address) => {
    const isPlain = isPlainAddress(address);
    spend(isPlain ? 4 : 20);
    return isPlain ? address : normalizeLink(address);
  };
  markdown.normalizeLinkText = (address) => (isPlainAddress(address) ? address : normalizeLinkText(address));
}

const load = createRequire(import.meta.url);

/** A parser of GitHub's dialect. Loaded when the first text comes: most starts of a server render none. */
function createParser(): MarkdownIt {
  const Parser = load('markdown-it') as typeof import('markdown-it').default;
  const markdown = new Parser({ html: true, linkify: true, maxNesting: MAX_NESTING });
  markdown.linkify.set({ fuzzyLink: false });
  markdown.linkify.add('www.', bareHost);
  markdown.validateLink = isSafeLink;
  limitWork(markdown);
  return markdown
    .use(frontMatterRule)
    .use(quoteRules)
    .use(descriptionListRule)
    .use(jsonTableRule)
    .use(footnoteRule)
    .use(inlineDiffRule)
    .use(referenceRule)
    .use(taskItemRule)
    .use(mathRule)
    .use(imageSizeRule)
    .use(tableOfContentsRule);
}

let prepared: MarkdownIt | undefined;
let preparedBlocks: MarkdownIt | undefined;
let preparedLine: MarkdownIt | undefined;

/** The one parser of whole texts. */
export function parser(): MarkdownIt {
  prepared ??= createParser();
  return prepared;
}

/** The tokens of a text, with what it refers to; throws TooMuchWork for one that is made to be slow. */
export function parseInline(text: string, instanceUrl: string): Token[] {
  return parser().parse(text, { instanceUrl });
}

/** The blocks of a text: paragraphs, lists, code and so on, with what stands in the lines left alone. */
export function parseBlocks(text: string): Token[] {
  if (preparedBlocks === undefined) {
    preparedBlocks = createParser();
    preparedBlocks.core.ruler.enableOnly(['new_budget', 'normalize', 'block']);
  }
  return preparedBlocks.parse(text, {});
}

/** The tokens of a single line without Markdown, such as a title: references and emoji alone. */
export function parseLine(text: string, instanceUrl: string): Token[] {
  if (preparedLine === undefined) {
    preparedLine = createParser();
    preparedLine.inline.ruler.enableOnly(['inline_budget', 'text']);
    preparedLine.inline.ruler2.enableOnly([]);
    preparedLine.core.ruler.disable(['task_items', 'math', 'footnotes']);
  }
  return preparedLine.parseInline(text, { instanceUrl });
}
