import { Invalid } from '../../platform/http/errors.ts';
import { parseCron } from './cron/cron.ts';
import { nextRun } from './cron/next-run.ts';
import { timeZoneOf } from './cron/time-zone.ts';

/** When a schedule runs next, after an instant; null: never again. Refuses what is no schedule. */
export function nextRunOf({ cron, cron_timezone }: { cron: string; cron_timezone: string }, after: number) {
  const parsed = parseCron(cron);
  if (!parsed) throw new Invalid({ cron: ['syntax is invalid'] });
  const zone = timeZoneOf(cron_timezone);
  if (zone === null) throw new Invalid({ cron_timezone: ['syntax is invalid'] });
  return nextRun(parsed, zone, after);
}
