import { LRUCache } from 'lru-cache';
import { railsTimeZones } from './rails-time-zones.ts';

/** Creating a formatter takes longer than formatting a thousand dates. There are about 600 time zones. */
const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: 1000 });

/** Resolves a tz database or Rails time zone name; null for an unknown name. */
export function timeZoneOf(name: string): string | null {
  const zone = railsTimeZones.get(name) ?? name;
  // `Intl` accepts offsets such as `+02:00`, but they are not time zones with daylight saving time.
  if (zone.length > 64 || !/^[A-Za-z]/.test(zone)) return null;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    // `Intl` throws for an unknown time zone.
    return null;
  }
}

/** Local time in the time zone, encoded as if it were UTC. */
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
  const cached = formats.get(timeZone);
  if (cached !== undefined) return cached;
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
 * Instants at which the clock shows a local time. Usually only `earlier` is set; `later` is set too if a backward clock
 * change repeats the local time. If a forward change skips it, both are null and `shifted` lies as far after the change
 * as the local time would have.
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
