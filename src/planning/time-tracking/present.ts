import { formatDuration } from './duration.ts';
import type { TimeStatsEntity } from './schema.ts';

export function presentTimeStats({
  time_estimate,
  total_time_spent,
}: {
  readonly time_estimate: number;
  readonly total_time_spent: number;
}): TimeStatsEntity {
  return {
    time_estimate,
    total_time_spent,
    human_time_estimate: formatDuration(time_estimate),
    human_total_time_spent: formatDuration(total_time_spent),
  };
}
