import type { Cron } from './cron.ts';
import { maxDays, runsAt, runsOn } from './next-run.ts';
import { localTime } from './time-zone.ts';

const day = 86_400_000;

/**
 * Returns the last instant at or before `until` at which the schedule ran in this time zone, or null if there is none.
 */
export function previousRun(cron: Cron, timeZone: string, until: number): number | null {
  const now = localTime(until, timeZone);
  // The order of local times differs from the order of instants only around a clock change, and by at most that change.
  const margin = Math.abs(localTime(until + day, timeZone) - localTime(until - day, timeZone) - 2 * day);
  const last = now + margin;
  const start = last - (((last % day) + day) % day);
  for (let back = 0; back <= maxDays; back++) {
    const midnight = start - back * day;
    if (!runsOn(cron, new Date(midnight))) continue;
    const found = lastOf(cron, timeZone, midnight, until, margin, last);
    if (found !== null) return found;
  }
  return null;
}

function lastOf(
  cron: Cron,
  timeZone: string,
  midnight: number,
  until: number,
  margin: number,
  last: number,
): number | null {
  let best: number | null = null;
  for (const hour of cron.hours.toReversed()) {
    for (const minute of cron.minutes.toReversed()) {
      const local = midnight + hour * 3_600_000 + minute * 60_000;
      if (local > last) continue;
      if (best !== null && (margin === 0 || local < localTime(best, timeZone) - margin)) return best;
      for (const instant of runsAt(cron, local, timeZone)) {
        if (instant <= until && (best === null || instant > best)) best = instant;
      }
    }
  }
  return best;
}
