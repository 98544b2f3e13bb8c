/** The times that events are counted by, in seconds. */
export const hour = 3600;
export const day = 24 * hour;

/** How many events there were in the time that starts at an instant, both as API answers have them. */
export type Frequency = [startsAt: number, count: number][];

/** The start of the hour or day of an instant: milliseconds in, seconds out. */
export function startOf(unit: number, instant: number): number {
  return Math.floor(instant / 1000 / unit) * unit;
}

/** The start of the first of so many hours or days, the last of which is under way. */
export function firstOf(unit: number, periods: number, now: number): number {
  return startOf(unit, now) - (periods - 1) * unit;
}

/** So many hours or days, the oldest first, with those in which nothing happened. */
export function frequencyOf(
  counts: readonly { readonly starts_at: number; readonly count: number }[],
  unit: number,
  periods: number,
  now: number,
): Frequency {
  const known = new Map(counts.map(({ starts_at, count }) => [starts_at, count]));
  const first = firstOf(unit, periods, now);
  return Array.from({ length: periods }, (_, index) => {
    const start = first + index * unit;
    return [start, known.get(start) ?? 0];
  });
}
