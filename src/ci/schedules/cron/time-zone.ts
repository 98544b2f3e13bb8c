import { LRUCache } from 'lru-cache';
import { railsTimeZones } from './rails-time-zones.ts';

/** One takes longer to make than a thousand dates take to write with it; there are some 600 zones. */
const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: 1000 });

/** The zone that a name stands for: one of the tz database, or one of the names that Rails gives them. Null for neither. */
export function timeZoneOf(name: string): string | null {
  const zone = railsTimeZones.get(name) ?? name;
  // Offsets such as `+02:00` are understood here, but name no place whose clock is put forward.
  if (zone.length > 64 || !/^[A-Za-z]/.test(zone)) return null;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    // It says so by throwing.
    return null;
  }
}

/** What the clock on the wall shows, as if it were UTC. */
export function localTime(instant: number, timeZone: string): number {
  const parts = Object.fromEntries(
    formatOf(timeZone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) + (((instant % 1000) + 1000) % 1000);
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(timeZone, format);
  return format;
}

/**
 * The instants at which the clock shows this: mostly `earlier` alone; also `later` where it is put back over it; none where it
 * is put forward over it, and then `shifted` is as long after the change as the time would have been.
 */
export function instantsOf(
  local: number,
  timeZone: string,
): { readonly earlier: number | null; readonly later: number | null; readonly shifted: number } {
  const around = 86_400_000;
  const offsets = [local - around, local + around].map((instant) => localTime(instant, timeZone) - instant);
  const [before = 0, afterwards = before] = offsets;
  const found = [local - before, local - afterwards].filter((instant) => localTime(instant, timeZone) === local);
  const distinct = [...new Set(found)].sort((left, right) => left - right);
  return { earlier: distinct[0] ?? null, later: distinct[1] ?? null, shifted: local - before };
}
