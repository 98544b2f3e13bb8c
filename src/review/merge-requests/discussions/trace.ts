/** A line of a diff by its old and new number; null on the side where it does not exist. */
export interface TracedLine {
  readonly old: number | null;
  readonly new: number | null;
}

/** Patches of one file between two versions of a merge request; empty if there is no difference. */
export interface TracePatches {
  /** From the base of the old version to the base of the new one. */
  readonly base: string;
  /** From the head of the old version to the head of the new one. */
  readonly head: string;
  /** From the base to the head of the new version. */
  readonly now: string;
}

const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** Number of a line on the other side of a patch; undefined if it does not exist there. */
function across(patch: string, line: number, from: 'before' | 'after'): number | undefined {
  const [ownSign, otherSign, group] = from === 'before' ? ['-', '+', 1] : ['+', '-', 3];
  let [at, shift] = [1, 0];
  for (const text of patch.split('\n')) {
    const hunk = header.exec(text);
    if (hunk) {
      // An empty side is denoted by the number of the preceding line.
      at = Number(hunk[group as number]) + (hunk[(group as number) + 1] === '0' ? 1 : 0);
      if (line < at) return line + shift;
    } else if (text[0] === ownSign) {
      if (line === at) return undefined;
      at += 1;
      shift -= 1;
    } else if (text[0] === otherSign) {
      shift += 1;
    } else if (text[0] === ' ') {
      if (line === at) return line + shift;
      at += 1;
    }
  }
  return line + shift;
}

/** Line number after applying a patch. */
export const afterPatch = (patch: string, line: number) => across(patch, line, 'before');
/** Line number before applying a patch. */
export const beforePatch = (patch: string, line: number) => across(patch, line, 'after');

/**
 * Follows a line to a newer version. Lines of the head are followed to the new head; a removed line must still be
 * removed. Undefined if the line was changed.
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
