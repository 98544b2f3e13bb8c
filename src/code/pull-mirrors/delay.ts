const minute = 60_000;
/** However short a run was, the next is so far away. */
const leastMs = 30 * minute;
/** A repository that takes long to fetch from is asked less often: so many times what the last run took. */
const rest = 24;

/** After so many failures in a row nobody comes back to a mirror until somebody asks. */
export const maxFailures = 14;

interface LastRun {
  readonly durationMs: number;
  /** In a row, this one counted. */
  readonly failures: number;
}

/**
 * How long to wait for the next run of a mirror: longer after each failure, never longer than `maxMs`; `spread`, from 0 to
 * 1, keeps mirrors that were set up together from running together. Undefined when it has failed too often.
 */
export function delayAfter({ durationMs, failures }: LastRun, maxMs: number, spread: number): number | undefined {
  if (failures > maxFailures) return undefined;
  const most = Math.max(maxMs, leastMs);
  const wait = Math.min(Math.max(durationMs * rest, leastMs) * Math.max(failures, 1), most);
  return Math.round(wait * (1 + spread / 5));
}
