import { createRequire } from 'node:module';
import type { Env, MarkdownIt, Token } from 'markdown-it';

export type { Token } from 'markdown-it';

/** How deep quotes, lists, brackets and emphasis may stand in one another; what stands deeper is left out or plain. */
const MAX_NESTING = 50;

/**
 * How much work one text may cause. A megabyte of prose stays far below; a megabyte of brackets is over it within a
 * fraction of a second, and is then shown as it was written.
 */
export const MAX_STEPS = 150_000;

/** Thrown from within the parser, and caught by whoever called it. */
export class TooMuchWork extends Error {}

interface Budgeted extends Env {
  steps?: number;
}

function spend(env: Budgeted, steps: number): void {
  env.steps = (env.steps ?? 0) + steps;
  if (env.steps > MAX_STEPS) throw new TooMuchWork();
}

function withBudget(markdown: MarkdownIt): MarkdownIt {
  // Both run first wherever the parser looks for what begins at a position, and never claim it.
  markdown.block.ruler.before('table', 'budget', (state) => {
    spend(state.env, 1);
    return false;
  });
  markdown.inline.ruler.before('text', 'budget', (state) => {
    spend(state.env, 1);
    return false;
  });
  markdown.core.ruler.after('block', 'budget', (state) => {
    if (state.tokens.length > MAX_STEPS) throw new TooMuchWork();
  });
  return markdown;
}

const load = createRequire(import.meta.url);
let prepared: MarkdownIt | undefined;
let preparedBlocks: MarkdownIt | undefined;

/** A parser of GitHub's dialect. Loaded when the first text comes: most starts of a server render none. */
export function createParser(): MarkdownIt {
  const Parser = load('markdown-it') as typeof import('markdown-it').default;
  const markdown = new Parser({ html: true, linkify: true, maxNesting: MAX_NESTING });
  markdown.linkify.set({ fuzzyLink: false });
  return withBudget(markdown);
}

/** The tokens of a text; throws TooMuchWork for one that is made to be slow. */
export function parseInline(text: string): Token[] {
  prepared ??= createParser();
  return prepared.parse(text, {});
}

/** The blocks of a text: paragraphs, lists, code and so on, with what stands in the lines left alone. */
export function parseBlocks(text: string): Token[] {
  if (preparedBlocks === undefined) {
    preparedBlocks = createParser();
    preparedBlocks.core.ruler.enableOnly(['normalize', 'block', 'budget']);
  }
  return preparedBlocks.parse(text, {});
}
