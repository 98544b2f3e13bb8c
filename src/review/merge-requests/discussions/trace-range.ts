import { discussions } from '../../../planning/notes/public.ts';
import type { RangeEnd, StoredPosition } from './stored-position.ts';
import { type TracedLine, type TracePatches, traceLine } from './trace.ts';

type Range = NonNullable<StoredPosition['line_range']>;

/** The line at one end of a range, given by line numbers or only by line code. */
function lineOf({ line_code, type, old_line, new_line }: RangeEnd): TracedLine {
  if (old_line != null || new_line != null) return { old: old_line ?? null, new: new_line ?? null };
  const [, before, after] = /_(\d+)_(\d+)$/.exec(line_code ?? '') ?? [];
  return {
    old: before === undefined || type === 'new' ? null : Number(before),
    new: after === undefined || type === 'old' ? null : Number(after),
  };
}

function traceEnd(end: RangeEnd, path: string, patches: TracePatches): RangeEnd | undefined {
  const traced = traceLine(lineOf(end), patches);
  const place =
    traced &&
    discussions.findLinePair(patches.now, { oldLine: traced.old ?? undefined, newLine: traced.new ?? undefined });
  if (!place) return undefined;
  return {
    line_code: discussions.lineCode(path, place),
    type: end.type ?? null,
    old_line: traced.old,
    new_line: traced.new,
  };
}

/** Follows both ends of a range to a newer version; null if one of them no longer exists. */
export function traceRange(range: Range | null, path: string, patches: TracePatches): Range | null {
  const start = range?.start && traceEnd(range.start, path, patches);
  const end = range?.end && traceEnd(range.end, path, patches);
  return start && end ? { start, end } : null;
}
