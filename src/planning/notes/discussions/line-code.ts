import { hash } from 'node:crypto';

/** A line of a diff, by its number before and after; one of them is missing where it was added or removed. */
export interface DiffLine {
  readonly oldLine: number | undefined;
  readonly newLine: number | undefined;
}

interface LinePair {
  readonly old: number;
  readonly new: number;
}

const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** Where a line stands in the text of a diff; undefined where it does not. Numbers that are missing are those that come next. */
export function placeOf(patch: string, { oldLine, newLine }: DiffLine): LinePair | undefined {
  // How far new numbers are from old ones outside of what the diff shows.
  let shift = 0;
  let [before, after] = [1, 1];
  for (const line of patch.split('\n')) {
    const found = header.exec(line);
    if (found) {
      const first = { old: Number(found[1]), new: Number(found[3]) };
      if (isBetween({ oldLine, newLine }, shift, { old: before, new: after }, first))
        return { old: oldLine as number, new: newLine as number };
      [before, after] = [first.old, first.new];
      continue;
    }
    const kind = line[0];
    if (kind === '+') {
      if (oldLine === undefined && newLine === after) return { old: before, new: after };
      after += 1;
    } else if (kind === '-') {
      if (newLine === undefined && oldLine === before) return { old: before, new: after };
      before += 1;
    } else if (kind === ' ') {
      if (oldLine === before && newLine === after) return { old: before, new: after };
      before += 1;
      after += 1;
    }
    shift = after - before;
  }
  const end = { old: Number.POSITIVE_INFINITY, new: Number.POSITIVE_INFINITY };
  if (!isBetween({ oldLine, newLine }, shift, { old: before, new: after }, end)) return undefined;
  return { old: oldLine as number, new: newLine as number };
}

/** Lines that the diff does not show are the same on both sides: their numbers differ as those around them do. */
function isBetween({ oldLine, newLine }: DiffLine, shift: number, from: LinePair, next: LinePair): boolean {
  if (oldLine === undefined || newLine === undefined || newLine - oldLine !== shift) return false;
  return oldLine >= Math.max(from.old, 1) && newLine >= from.new && oldLine < next.old && newLine < next.new;
}

/** The name of a line: of its file, and its numbers. */
export function lineCode(path: string, { old, new: now }: LinePair): string {
  return `${hash('sha1', path)}_${old}_${now}`;
}
