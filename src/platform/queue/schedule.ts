/**
 * When a recurring job runs: at whole multiples of an interval, or at a minute of the hour, the day or the week, in
 * UTC.
 */
export type Schedule = { everyMs: number } | { minute: number; hour?: number /** From 0, Sunday. */; weekday?: number };

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;
/** 1970-01-04, the first Sunday: weeks are counted from it. */
const firstSundayMs = 3 * dayMs;

/** The first scheduled time after `after`; the same on every server, whenever it is computed. */
export function nextRun(schedule: Schedule, after: number): number {
  const { period, offset } = inPeriods(schedule);
  return (Math.floor((after - offset) / period) + 1) * period + offset;
}

function inPeriods(schedule: Schedule): { period: number; offset: number } {
  if ('everyMs' in schedule) {
    if (!(schedule.everyMs >= 1000)) throw new RangeError('the interval of a recurring job must be at least a second');
    return { period: schedule.everyMs, offset: 0 };
  }
  const { minute, hour, weekday } = schedule;
  const known = within(minute, 59) && within(hour ?? 0, 23) && within(weekday ?? 0, 6);
  if (!known || (weekday !== undefined && hour === undefined)) throw new RangeError('invalid minute, hour or weekday');
  const offset = minute * 60_000 + (hour ?? 0) * hourMs;
  if (weekday !== undefined) return { period: 7 * dayMs, offset: firstSundayMs + weekday * dayMs + offset };
  return { period: hour === undefined ? hourMs : dayMs, offset };
}

function within(value: number, most: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= most;
}
