import type { Cron } from './cron.ts';
import { instantsOf, localTime } from './time-zone.ts';

const day = 86_400_000;
/** Search horizon in days. 29 February can be eight years away; later dates count as never. */
export const maxDays = 366 * 9;

/**
 * Returns the first instant after `after` (both in milliseconds) at which the schedule runs in the time zone, or null
 * if there is none. A local time skipped by a forward clock change runs later by the length of the change; a local time
 * repeated by a backward change runs once. Hourly schedules follow elapsed hours instead.
 */
export function nextRun(cron: Cron, timeZone: string, after: number): number | null {
  const start = localTime(after, timeZone);
  const first = start - (((start % day) + day) % day);
  for (let ahead = 0; ahead <= maxDays; ahead++) {
    const midnight = first + ahead * day;
    if (!runsOn(cron, new Date(midnight))) continue;
    const found = firstOf(cron, timeZone, midnight, after, start);
    if (found !== null) return found;
  }
  return null;
}

/** A local time this far in the past cannot occur again, whatever the clock change. */
const maxClockChange = 3 * 3_600_000;

function firstOf(cron: Cron, timeZone: string, midnight: number, after: number, now: number): number | null {
  let best: number | null = null;
  for (const hour of cron.hours) {
    for (const minute of cron.minutes) {
      const local = midnight + hour * 3_600_000 + minute * 60_000;
      if (local < now - maxClockChange) continue;
      // Around a clock change, the order of local times can differ from the order of instants, so search a little
      // further.
      if (best !== null && local > localTime(best, timeZone) + maxClockChange) return best;
      for (const instant of runsAt(cron, local, timeZone)) {
        if (instant > after && (best === null || instant < best)) best = instant;
      }
    }
  }
  return best;
}

/** The instants at which a local time runs: one, or up to two for a schedule that follows elapsed hours. */
export function runsAt(cron: Cron, local: number, timeZone: string): readonly number[] {
  const { earlier, later, shifted } = instantsOf(local, timeZone);
  if (cron.everyHour) return [earlier, later].filter((instant) => instant !== null);
  return [earlier ?? shifted];
}

/** If both day fields are restricted, matching either is enough, as in traditional cron. */
export function runsOn(cron: Cron, date: Date): boolean {
  if (!cron.months.has(date.getUTCMonth() + 1)) return false;
  if (cron.monthDays === null) return cron.weekDays === null || onWeekDay(cron, date);
  return onMonthDay(cron, date) || (cron.weekDays !== null && onWeekDay(cron, date));
}

function onMonthDay({ monthDays }: Cron, date: Date): boolean {
  const today = date.getUTCDate();
  return monthDays !== null && (monthDays.has(today) || monthDays.has(today - daysIn(date) - 1));
}

function onWeekDay({ weekDays }: Cron, date: Date): boolean {
  const today = date.getUTCDate();
  const nth = Math.ceil(today / 7);
  const fromEnd = -Math.ceil((daysIn(date) - today + 1) / 7);
  return (weekDays ?? []).some(
    (one) => one.day === date.getUTCDay() && (one.nth === null || one.nth === nth || one.nth === fromEnd),
  );
}

function daysIn(date: Date): number {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
}
