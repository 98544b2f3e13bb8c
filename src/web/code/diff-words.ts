import type { DiffLine } from './diff-lines.ts';

/** A part of a line: start (inclusive) and end (exclusive). */
export type Span = readonly [from: number, to: number];

const isWord = (letter: string | undefined) => letter !== undefined && /[\p{L}\p{N}_]/u.test(letter);

type Reading = (at: number) => string | undefined;

/**
 * Returns the number of characters that two lines have in common at one end, without splitting words or surrogate
 * pairs.
 */
function shared(most: number, before: Reading, after: Reading, firstHalf: RegExp): number {
  let length = 0;
  while (length < most && before(length) === after(length)) length += 1;
  const cutsWord = () => isWord(before(length - 1)) && (isWord(before(length)) || isWord(after(length)));
  while (length > 0 && (cutsWord() || firstHalf.test(before(length - 1) ?? ''))) length -= 1;
  return length;
}

/** Minimum share of common text for changed words to be marked. */
const leastAlike = 0.3;

/** Returns the changed parts of a line and its replacement: everything between their common prefix and suffix. */
export function changedSpans(before: string, after: string): { before: Span; after: Span } | undefined {
  if (before === after) return undefined;
  const most = Math.min(before.length, after.length);
  const fromStart = (text: string) => (at: number) => text[at];
  const fromEnd = (text: string) => (at: number) => text[text.length - 1 - at];
  const start = shared(most, fromStart(before), fromStart(after), /[\ud800-\udbff]/);
  const end = shared(most - start, fromEnd(before), fromEnd(after), /[\udc00-\udfff]/);
  const alike = before.slice(0, start).trim().length + before.slice(before.length - end).trim().length;
  if (alike < leastAlike * Math.max(before.trim().length, after.trim().length)) return undefined;
  return { before: [start, before.length - end], after: [start, after.length - end] };
}

/** Finds changed parts in replaced lines, pairing removed and added lines in order. */
export function changedWords(lines: readonly DiffLine[]): Map<DiffLine, Span> {
  const spans = new Map<DiffLine, Span>();
  let removed: DiffLine[] = [];
  let next = 0;
  for (const line of lines) {
    if (line.kind === 'note') continue;
    if (line.kind === 'del') {
      if (next > 0) [removed, next] = [[], 0];
      removed.push(line);
      continue;
    }
    const other = line.kind === 'add' ? removed[next++] : undefined;
    if (line.kind !== 'add') [removed, next] = [[], 0];
    const found = other && changedSpans(other.text, line.text);
    if (!other || !found) continue;
    spans.set(other, found.before);
    spans.set(line, found.after);
  }
  return spans;
}

/** Marks a part of a line of HTML. Marks never overlap elements, and an entity counts as one character. */
export function markSpan(html: string, [from, to]: Span): string {
  let at = 0;
  let isOpen = false;
  let out = '';
  const end = () => {
    if (isOpen) out += '</mark>';
    isOpen = false;
  };
  for (const [piece] of html.matchAll(/<[^<>]*>|&[^&;]+;|[\s\S]/g)) {
    if (piece.startsWith('<')) {
      end();
      out += piece;
      continue;
    }
    if (at >= to) end();
    else if (at >= from && !isOpen) {
      out += '<mark>';
      isOpen = true;
    }
    out += piece;
    at += 1;
  }
  end();
  return out;
}
