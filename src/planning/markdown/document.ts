import { parseInline, type Token, TooMuchWork } from './parser.ts';
import { distinctReferences, type Reference, type WrittenReference } from './references/reference.ts';

/** Where a text stands, as far as reading it needs to know. */
export interface ReadingOptions {
  /** The address under which people reach this instance; its pages are references when their address is written. */
  readonly instanceUrl?: string;
  /** Whether quotes count. */
  readonly quotes?: boolean;
}

/** The runs of inline tokens of a text: what stands in paragraphs, headings, cells. None for a text made to be slow. */
export function inlinesOf(text: string, { instanceUrl = '', quotes = true }: ReadingOptions = {}): Token[][] {
  let tokens: Token[];
  try {
    tokens = parseInline(text, instanceUrl);
  } catch (error) {
    if (error instanceof TooMuchWork) return [];
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

/** Text without its marks; code leaves a gap that nothing matches across. */
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

/** The reference that a token stands for: by itself, or as where a link leads. */
export function referenceOf(token: Token): WrittenReference | undefined {
  const written = token.type === 'reference' || token.type === 'link_open' ? token.meta?.written : undefined;
  return isWritten(written) ? written : undefined;
}

/** What the tokens refer to, each thing once. */
export function referencesIn(tokens: readonly Token[]): Reference[] {
  return distinctReferences(tokens.flatMap((token) => referenceOf(token)?.reference ?? []));
}

/** Everything that a text refers to outside of code, each thing once, whether it exists or not. */
export function extractReferences(text: string, options: ReadingOptions = {}): Reference[] {
  return referencesIn(inlinesOf(text, options).flat());
}
