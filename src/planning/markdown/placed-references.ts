import { codeSpans } from './code-spans.ts';
import { blocksOf } from './paragraph-lines.ts';
import { type FoundReference, findReferences } from './references/find.ts';

/** A reference and its range in the whole text. */
export type PlacedReference = Pick<FoundReference, 'reference' | 'start' | 'end'>;

/** Offsets of the line starts of a text, and of its end. */
function lineStarts(text: string): number[] {
  const starts = [0];
  for (const { index, 0: end } of text.matchAll(/\r\n|\r|\n/g)) starts.push(index + end.length);
  return [...starts, text.length];
}

/** Excludes escaped signs, and signs within the target of a link: `[words](#1-the-heading)`. */
function isReference(text: string, { start, end }: PlacedReference): boolean {
  const before = text.slice(Math.max(0, start - 2), start);
  return !before.endsWith('\\') && (before !== '](' || text[end] === ')');
}

/** References in a text outside of code, with their positions, for rewriting them. */
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
