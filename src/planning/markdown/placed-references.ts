import { codeSpans } from './code-spans.ts';
import { blocksOf } from './paragraph-lines.ts';
import { type FoundReference, findReferences } from './references/find.ts';

/** A reference, and where in the whole text it stands. */
export type PlacedReference = Pick<FoundReference, 'reference' | 'start' | 'end'>;

/** Where the lines of a text begin, and where the last one ends. */
function lineStarts(text: string): number[] {
  const starts = [0];
  for (const { index, 0: end } of text.matchAll(/\r\n|\r|\n/g)) starts.push(index + end.length);
  return [...starts, text.length];
}

/** What stands in the address of a link, or after a backslash, is none. */
const isReference = (text: string, start: number) => !/(?:\\|\]\()$/.test(text.slice(Math.max(0, start - 2), start));

/** The references of a text with their places, outside of code, for whoever rewrites them. */
export function placedReferences(text: string): PlacedReference[] {
  const starts = lineStarts(text);
  return blocksOf(text).flatMap((token): PlacedReference[] => {
    if (token.type !== 'inline' || !token.map) return [];
    const from = starts[token.map[0]] ?? text.length;
    const part = text.slice(from, starts[token.map[1]] ?? text.length);
    const code = codeSpans(part);
    return findReferences(part)
      .filter(({ start }) => isReference(part, start) && !code.some(([first, end]) => first <= start && start < end))
      .map(({ reference, start, end }) => ({ reference, start: from + start, end: from + end }));
  });
}
