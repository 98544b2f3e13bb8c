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

/** What stands after a backslash is none, nor what is a part of where a link leads: `[words](#1-the-heading)`. */
function isReference(text: string, { start, end }: PlacedReference): boolean {
  const before = text.slice(Math.max(0, start - 2), start);
  return !before.endsWith('\\') && (before !== '](' || text[end] === ')');
}

/** The references of a text with their places, outside of code, for whoever rewrites them. */
export function placedReferences(text: string): PlacedReference[] {
  const starts = lineStarts(text);
  return blocksOf(text).flatMap((token): PlacedReference[] => {
    if (token.type !== 'inline' || !token.map) return [];
    const from = starts[token.map[0]] ?? text.length;
    const part = text.slice(from, starts[token.map[1]] ?? text.length);
    const code = codeSpans(part);
    return findReferences(part)
      .filter(
        (found) => isReference(part, found) && !code.some(([first, end]) => first <= found.start && found.start < end),
      )
      .map(({ reference, start, end }) => ({ reference, start: from + start, end: from + end }));
  });
}
