/** The units by which events are counted, in seconds. */
export const hour = 3600;
export const day = 24 * hour;

/** Number of events per period, as returned by the API. The start is in Unix seconds. */
export type Frequency = [startsAt: number, count: number][];

/** Start of the hour or day of a time. Takes milliseconds and returns seconds. */
export function periodStart(unit: number, instant: number): number {
  return Math.floor(instant / 1000 / unit) * unit;
}

/** Start of the first of a number of hours or days, the last of which is the current one. */
export function firstPeriodStart(unit: number, periods: number, now: number): number {
  return periodStart(unit, now) - (periods - 1) * unit;
}

/** Fills gaps in the counts with zeros. Oldest period first. */
export function frequencyOf(
  counts: readonly { readonly starts_at: number; readonly count: number }[],
  unit: number,
  periods: number,
  now: number,
): Frequency {
  const known = new Map(counts.map(({ starts_at, count }) => [starts_at, count]));
  const first = firstPeriodStart(unit, periods, now);
  return Array.from({ length: periods }, (_, index) => {
    const start = first + index * unit;
    return [start, known.get(start) ?? 0];
  });
}
