import { hash } from 'node:crypto';

/** A line of a diff, by its number before and after the change; one is undefined for added and removed lines. */
export interface DiffLine {
  readonly oldLine: number | undefined;
  readonly newLine: number | undefined;
}

interface LinePair {
  readonly old: number;
  readonly new: number;
}

const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/**
 * Finds a line in a patch; undefined if the patch does not have it. For an added or removed line, the missing number is
 * that of the next line on the other side.
 */
export function findLinePair(patch: string, { oldLine, newLine }: DiffLine): LinePair | undefined {
  // Difference between new and old line numbers outside the hunks.
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

/** Lines outside the hunks are unchanged: their old and new numbers differ by the same amount as those around them. */
function isBetween({ oldLine, newLine }: DiffLine, shift: number, from: LinePair, next: LinePair): boolean {
  if (oldLine === undefined || newLine === undefined || newLine - oldLine !== shift) return false;
  return oldLine >= Math.max(from.old, 1) && newLine >= from.new && oldLine < next.old && newLine < next.new;
}

/** GitLab's identifier of a diff line: hash of the path, old and new line number. */
export function lineCode(path: string, { old, new: now }: LinePair): string {
  return `${hash('sha1', path)}_${old}_${now}`;
}
