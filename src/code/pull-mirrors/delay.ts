const minute = 60_000;
/** Minimum delay between two runs. */
const minDelayMs = 30 * minute;
/** The delay is at least this multiple of the last run's duration, so that slow repositories are fetched less often. */
const durationFactor = 24;

/** After this many consecutive failures a mirror is not scheduled any more until it is triggered manually. */
export const maxFailures = 14;

interface LastRun {
  readonly durationMs: number;
  /** Number of consecutive failures, including this run. */
  readonly failures: number;
}

/**
 * Returns the delay before the next run of a mirror, at most `maxMs`. It grows with each failure and is undefined after
 * too many of them. `spread`, from 0 to 1, staggers mirrors that were set up together.
 */
export function delayAfter({ durationMs, failures }: LastRun, maxMs: number, spread: number): number | undefined {
  if (failures > maxFailures) return undefined;
  const maxDelayMs = Math.max(maxMs, minDelayMs);
  const wait = Math.min(Math.max(durationMs * durationFactor, minDelayMs) * Math.max(failures, 1), maxDelayMs);
  return Math.round(wait * (1 + spread / 5));
}
