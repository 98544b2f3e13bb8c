/** A line of a diff by its numbers before and after; null on the side where it is not. */
export interface TracedLine {
  readonly old: number | null;
  readonly new: number | null;
}

/** The patches of one file that lead from one version of a merge request to the next; empty where nothing differs. */
export interface TracePatches {
  /** From the base of the one to that of the other. */
  readonly base: string;
  /** From the head of the one to that of the other. */
  readonly head: string;
  /** From the base to the head of the newer one. */
  readonly now: string;
}

const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** Where a line is on the other side of a patch; undefined where it is not. */
function across(patch: string, line: number, from: 'before' | 'after'): number | undefined {
  const [mine, theirs, group] = from === 'before' ? ['-', '+', 1] : ['+', '-', 3];
  let [at, shift] = [1, 0];
  for (const text of patch.split('\n')) {
    const hunk = header.exec(text);
    if (hunk) {
      // A side without lines is named by the line before it.
      at = Number(hunk[group as number]) + (hunk[(group as number) + 1] === '0' ? 1 : 0);
      if (line < at) return line + shift;
    } else if (text[0] === mine) {
      if (line === at) return undefined;
      at += 1;
      shift -= 1;
    } else if (text[0] === theirs) {
      shift += 1;
    } else if (text[0] === ' ') {
      if (line === at) return line + shift;
      at += 1;
    }
  }
  return line + shift;
}

/** The number that a line has after a patch. */
export const afterPatch = (patch: string, line: number) => across(patch, line, 'before');
/** The number that a line had before a patch. */
export const beforePatch = (patch: string, line: number) => across(patch, line, 'after');

/**
 * Follows a line into a newer version. Lines of the head go where the head has them now; a removed line has to be removed
 * still. Undefined where the line was changed.
 */
export function traceLine(line: TracedLine, { base, head, now }: TracePatches): TracedLine | undefined {
  if (line.new !== null) {
    const moved = afterPatch(head, line.new);
    return moved === undefined ? undefined : { old: beforePatch(now, moved) ?? null, new: moved };
  }
  const moved = line.old === null ? undefined : afterPatch(base, line.old);
  if (moved === undefined || afterPatch(now, moved) !== undefined) return undefined;
  return { old: moved, new: null };
}
