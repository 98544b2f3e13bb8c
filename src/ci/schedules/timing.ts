import { Invalid } from '../../platform/http/errors.ts';
import { parseCron } from './cron/cron.ts';
import { nextRun } from './cron/next-run.ts';
import { timeZoneOf } from './cron/time-zone.ts';

/**
 * Returns the next run time of a schedule after an instant, or null if there is none. Throws for an invalid schedule.
 */
export function nextRunOf({ cron, cron_timezone }: { cron: string; cron_timezone: string }, after: number) {
  const parsed = parseCron(cron);
  if (!parsed) throw new Invalid({ cron: ['syntax is invalid'] });
  const zone = timeZoneOf(cron_timezone);
  if (zone === null) throw new Invalid({ cron_timezone: ['syntax is invalid'] });
  return nextRun(parsed, zone, after);
}
