import { parseInline, StepLimitExceeded, type Token } from './parser.ts';
import { distinctReferences, type Reference, type WrittenReference } from './references/reference.ts';

/** Options for extracting references from a text. */
export interface ReadingOptions {
  /** External URL of this instance; links to its pages count as references. */
  readonly instanceUrl?: string;
  /** Whether text in block quotes is included. */
  readonly quotes?: boolean;
}

/**
 * Returns the inline tokens of the paragraphs, headings and cells of a text; empty if parsing exceeds the work limit.
 */
export function inlinesOf(text: string, { instanceUrl = '', quotes = true }: ReadingOptions = {}): Token[][] {
  let tokens: Token[];
  try {
    tokens = parseInline(text, instanceUrl);
  } catch (error) {
    if (error instanceof StepLimitExceeded) return [];
    throw error;
  }
  const inlines: Token[][] = [];
  let quoted = 0;
  for (const token of tokens) {
    if (token.type === 'blockquote_open') quoted += 1;
    if (token.type === 'blockquote_close') quoted -= 1;
    if (token.type === 'inline' && token.children && (quotes || quoted === 0)) inlines.push(token.children);
  }
  return inlines;
}

/** The text without markup; code is replaced by NUL, so that no pattern matches across it. */
export function plainTextOf(inline: readonly Token[]): string {
  return inline
    .map((token) => {
      if (token.type === 'softbreak' || token.type === 'hardbreak') return '\n';
      if (token.type === 'code_inline' || token.type === 'html_inline' || token.type === 'image') return '\u0000';
      return token.content;
    })
    .join('');
}

const isWritten = (value: unknown): value is WrittenReference =>
  typeof value === 'object' && value !== null && 'reference' in value && 'written' in value;

/** The reference of a token: a reference token itself, or the target of a link. */
export function referenceOf(token: Token): WrittenReference | undefined {
  const written = token.type === 'reference' || token.type === 'link_open' ? token.meta?.written : undefined;
  return isWritten(written) ? written : undefined;
}

/** References in the tokens, without duplicates. */
export function referencesIn(tokens: readonly Token[]): Reference[] {
  return distinctReferences(tokens.flatMap((token) => referenceOf(token)?.reference ?? []));
}

/** All references in a text outside of code, without duplicates, whether they resolve or not. */
export function extractReferences(text: string, options: ReadingOptions = {}): Reference[] {
  return referencesIn(inlinesOf(text, options).flat());
}
