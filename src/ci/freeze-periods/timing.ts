import { type Cron, parseCron, previousRun, timeZoneOf } from '../schedules/public.ts';

/** Schedule of a freeze period. */
export interface PeriodTimes {
  readonly freeze_start: string;
  readonly freeze_end: string;
  readonly cron_timezone: string;
}

/** Validates a schedule. Returns errors by attribute, or null. */
export function problemsOf(times: PeriodTimes): Record<string, string[]> | null {
  const problems: Record<string, string[]> = {};
  for (const name of ['freeze_start', 'freeze_end'] as const) {
    if (times[name].trim() === '') problems[name] = ["can't be blank"];
    else if (parseCron(times[name]) === null) problems[name] = ['syntax is invalid'];
  }
  if (timeZoneOf(times.cron_timezone) === null) problems.cron_timezone = ['syntax is invalid'];
  return Object.keys(problems).length === 0 ? null : problems;
}

/** Whether a freeze period is active. One that ends at the moment it begins lasts until its next end. */
export function isFrozen({ freeze_start, freeze_end, cron_timezone }: PeriodTimes, now: number): boolean {
  const zone = timeZoneOf(cron_timezone);
  const last = (cron: Cron | null) => (cron && zone !== null ? previousRun(cron, zone, now) : null);
  const lastStart = last(parseCron(freeze_start));
  if (lastStart === null) return false;
  const lastEnd = last(parseCron(freeze_end));
  return lastEnd === null || lastEnd <= lastStart;
}
