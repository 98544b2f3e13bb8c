import type { Cron } from './cron.ts';
import { instantsOf, localTime } from './time-zone.ts';

const day = 86_400_000;
/** The 29th of February may be eight years away; longer than that is never. */
export const farthest = 366 * 9;

/**
 * The first instant after `after` (both in milliseconds) at which the schedule runs in this time zone, or null where there is
 * none. Where the clock is put forward, a time that is left out runs as much later; where it is put back, a time that comes
 * twice runs once. A schedule for every hour follows the hours as they pass instead.
 */
export function nextRun(cron: Cron, timeZone: string, after: number): number | null {
  const start = localTime(after, timeZone);
  const first = start - (((start % day) + day) % day);
  for (let ahead = 0; ahead <= farthest; ahead++) {
    const midnight = first + ahead * day;
    if (!runsOn(cron, new Date(midnight))) continue;
    const found = firstOf(cron, timeZone, midnight, after, start);
    if (found !== null) return found;
  }
  return null;
}

/** Local times that are this far behind the clock cannot come again, whatever is done to it. */
const maxChange = 3 * 3_600_000;

function firstOf(cron: Cron, timeZone: string, midnight: number, after: number, now: number): number | null {
  let best: number | null = null;
  for (const hour of cron.hours) {
    for (const minute of cron.minutes) {
      const local = midnight + hour * 3_600_000 + minute * 60_000;
      if (local < now - maxChange) continue;
      // Past a change of the clock the order of local times may not be that of instants: look a little farther.
      if (best !== null && local > localTime(best, timeZone) + maxChange) return best;
      for (const instant of runsAt(cron, local, timeZone)) {
        if (instant > after && (best === null || instant < best)) best = instant;
      }
    }
  }
  return best;
}

/** The instants that a local time stands for: none, one, or two where the schedule follows the hours as they pass. */
export function runsAt(cron: Cron, local: number, timeZone: string): readonly number[] {
  const { earlier, later, shifted } = instantsOf(local, timeZone);
  if (cron.everyHour) return [earlier, later].filter((instant) => instant !== null);
  return [earlier ?? shifted];
}

/** Where both kinds of day are restricted, either is enough: that is how cron has always been. */
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
