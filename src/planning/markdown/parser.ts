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

/** Maximum nesting of quotes, lists, brackets and emphasis; deeper content is omitted or rendered as plain text. */
const MAX_NESTING = 50;

/**
 * Maximum number of parser steps per text. A megabyte of prose stays far below; a megabyte of brackets exceeds it
 * within a fraction of a second and is then rendered verbatim.
 */
export const MAX_STEPS = 250_000;

/** Thrown inside the parser when a text exceeds the step limit; callers of the parser catch it. */
export class StepLimitExceeded extends Error {}

/**
 * Maximum number of parser steps on the main thread. Sixteen kilobytes of prose stay below; the same amount of text in
 * a table of five hundred columns would take a second.
 */
const QUICK_STEPS = 10_000;

/** Thrown for a text that has to be processed in the worker thread instead of the main thread. */
export class NeedsWorkerThread extends Error {}

// Parsing is synchronous, so one flag serves all texts.
let quick = false;

/** Parses on the main thread; throws NeedsWorkerThread if that would take too long. */
export function readOnMainThread<T>(read: () => T): T {
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
    if (quick && steps > QUICK_STEPS) throw new NeedsWorkerThread();
    if (steps > MAX_STEPS) throw new StepLimitExceeded();
  };
  markdown.core.ruler.before('normalize', 'new_budget', () => {
    steps = 0;
  });
  // Both rules run first at every position the parser tries, and never match.
  markdown.block.ruler.before('table', 'block_budget', () => {
    spend(1);
    return false;
  });
  markdown.inline.ruler.before('text', 'inline_budget', () => {
    spend(1);
    return false;
  });
  // Rows of tables are created without running the block rules, so they are counted here.
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

/**
 * Creates a parser for GitHub-flavored Markdown. The library is loaded with the first text, because many processes
 * never render any.
 */
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

/** The shared parser of whole texts. */
export function parser(): MarkdownIt {
  prepared ??= createParser();
  return prepared;
}

/** Tokens of a text including references; throws TooMuchWork if it exceeds the step limit. */
export function parseInline(text: string, instanceUrl: string): Token[] {
  return parser().parse(text, { instanceUrl });
}

/** Block tokens of a text, without parsing their inline content. */
export function parseBlocks(text: string): Token[] {
  if (preparedBlocks === undefined) {
    preparedBlocks = createParser();
    preparedBlocks.core.ruler.enableOnly(['new_budget', 'normalize', 'block']);
  }
  return preparedBlocks.parse(text, {});
}

/** Tokens of a single line such as a title, in which only references and emoji are recognized. */
export function parseLine(text: string, instanceUrl: string): Token[] {
  if (preparedLine === undefined) {
    preparedLine = createParser();
    preparedLine.inline.ruler.enableOnly(['inline_budget', 'text']);
    preparedLine.inline.ruler2.enableOnly([]);
    preparedLine.core.ruler.disable(['task_items', 'math', 'footnotes']);
  }
  return preparedLine.parseInline(text, { instanceUrl });
}
