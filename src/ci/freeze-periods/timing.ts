import { type Cron, parseCron, previousRun, timeZoneOf } from '../schedules/public.ts';

/** What says when a period is. */
export interface PeriodTimes {
  readonly freeze_start: string;
  readonly freeze_end: string;
  readonly cron_timezone: string;
}

/** What is wrong with the times of a period, by attribute; null where nothing is. */
export function problemsOf(times: PeriodTimes): Record<string, string[]> | null {
  const problems: Record<string, string[]> = {};
  for (const name of ['freeze_start', 'freeze_end'] as const) {
    if (times[name].trim() === '') problems[name] = ["can't be blank"];
    else if (parseCron(times[name]) === null) problems[name] = ['syntax is invalid'];
  }
  if (timeZoneOf(times.cron_timezone) === null) problems.cron_timezone = ['syntax is invalid'];
  return Object.keys(problems).length === 0 ? null : problems;
}

/** Whether a period has begun and not ended. One that ends at the very moment it begins lasts to its next end. */
export function isFrozen({ freeze_start, freeze_end, cron_timezone }: PeriodTimes, now: number): boolean {
  const zone = timeZoneOf(cron_timezone);
  const last = (cron: Cron | null) => (cron && zone !== null ? previousRun(cron, zone, now) : null);
  const begun = last(parseCron(freeze_start));
  if (begun === null) return false;
  const ended = last(parseCron(freeze_end));
  return ended === null || ended <= begun;
}
