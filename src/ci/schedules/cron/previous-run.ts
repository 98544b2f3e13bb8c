import type { Cron } from './cron.ts';
import { farthest, runsAt, runsOn } from './next-run.ts';
import { localTime } from './time-zone.ts';

const day = 86_400_000;

/** The last instant up to `until`, that one included, at which the schedule has run in this time zone; null where there is none. */
export function previousRun(cron: Cron, timeZone: string, until: number): number | null {
  const now = localTime(until, timeZone);
  // Only near a change of the clock may the order of local times not be that of instants, and by no more than the change.
  const margin = Math.abs(localTime(until + day, timeZone) - localTime(until - day, timeZone) - 2 * day);
  const last = now + margin;
  const start = last - (((last % day) + day) % day);
  for (let back = 0; back <= farthest; back++) {
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
