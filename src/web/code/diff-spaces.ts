import type { DiffLine } from './diff-lines.ts';

const squeezed = ({ text }: DiffLine) => text.replaceAll(/\s+/g, '');

/** Maximum number of line comparisons per change; beyond it, only common ends are detected. */
const maxCompared = 250_000;

type Match = readonly [removed: number, added: number];

/** Finds the longest common subsequence of two lists of lines. */
function commonLines(removed: readonly string[], added: readonly string[]): Match[] {
  const width = added.length + 1;
  const lengths = new Uint32Array((removed.length + 1) * width);
  const length = (one: number, other: number) => lengths[one * width + other] ?? 0;
  for (let one = removed.length - 1; one >= 0; one -= 1)
    for (let other = added.length - 1; other >= 0; other -= 1)
      lengths[one * width + other] =
        removed[one] === added[other]
          ? length(one + 1, other + 1) + 1
          : Math.max(length(one + 1, other), length(one, other + 1));
  const found: Match[] = [];
  for (let one = 0, other = 0; one < removed.length && other < added.length; ) {
    if (removed[one] === added[other]) found.push([one++, other++]);
    else if (length(one + 1, other) >= length(one, other + 1)) one += 1;
    else other += 1;
  }
  return found;
}

/** Fallback for long changes: finds common lines at the beginning and the end only. */
function commonEnds(removed: readonly string[], added: readonly string[]): Match[] {
  const most = Math.min(removed.length, added.length);
  let start = 0;
  while (start < most && removed[start] === added[start]) start += 1;
  let end = 0;
  while (end < most - start && removed.at(-1 - end) === added.at(-1 - end)) end += 1;
  const first = Array.from({ length: start }, (_, at): Match => [at, at]);
  const last = Array.from({ length: end }, (_, at): Match => [removed.length - end + at, added.length - end + at]);
  return [...first, ...last];
}

/** Converts lines of one change that differ in whitespace only to common lines. */
function settle(removed: readonly DiffLine[], added: readonly DiffLine[]): DiffLine[] {
  const [before, after] = [removed.map(squeezed), added.map(squeezed)];
  const find = before.length * after.length > maxCompared ? commonEnds : commonLines;
  const settled: DiffLine[] = [];
  let [one, other] = [0, 0];
  for (const [left, right] of find(before, after)) {
    settled.push(...removed.slice(one, left), ...added.slice(other, right));
    const [was, is] = [removed[left], added[right]];
    if (was?.old !== undefined && is?.new !== undefined)
      settled.push({ kind: 'spaces', old: was.old, new: is.new, text: is.text });
    [one, other] = [left + 1, right + 1];
  }
  settled.push(...removed.slice(one), ...added.slice(other));
  return settled;
}

/** Removes whitespace-only changes from a diff, including hunks without other changes. */
export function withoutSpaces(lines: readonly DiffLine[]): DiffLine[] {
  const hunks: DiffLine[][] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  let notes: DiffLine[] = [];
  const flush = () => {
    const settled = settle(removed, added);
    // The note about a missing final newline is dropped if its line is now common to both sides.
    const rest = settled.some(({ kind }) => kind === 'add' || kind === 'del') ? notes : [];
    hunks.at(-1)?.push(...settled, ...rest);
    [removed, added, notes] = [[], [], []];
  };
  for (const line of lines) {
    if (line.kind === 'del') {
      if (added.length > 0) flush();
      removed.push(line);
    } else if (line.kind === 'add') added.push(line);
    else if (line.kind === 'note') notes.push(line);
    else {
      flush();
      if (line.kind === 'hunk' || hunks.length === 0) hunks.push([]);
      hunks.at(-1)?.push(line);
    }
  }
  flush();
  return hunks.filter((hunk) => hunk.some(({ kind }) => kind === 'add' || kind === 'del')).flat();
}
