import type { Services } from '../../access/services.ts';
import { formatDuration } from './duration.ts';
import type { TimeStatsEntity } from './schema.ts';

/** Formats a duration in the units enabled on the instance: all of them, or hours at most. */
export function formattedDuration({ settings }: Pick<Services, 'settings'>, seconds: number): string | null {
  return formatDuration(seconds, { hoursOnly: settings.latest().time_tracking_limit_to_hours });
}

export function presentTimeStats(
  services: Pick<Services, 'settings'>,
  { time_estimate, total_time_spent }: { readonly time_estimate: number; readonly total_time_spent: number },
): TimeStatsEntity {
  return {
    time_estimate,
    total_time_spent,
    human_time_estimate: formattedDuration(services, time_estimate),
    human_total_time_spent: formattedDuration(services, total_time_spent),
  };
}
