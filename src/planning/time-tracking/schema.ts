import Type, { type Static } from 'typebox';
import { entity, nullable } from '../../platform/http/schema.ts';

/** Durations in seconds, and formatted if not zero. */
export const TimeStats = entity('TimeStats', {
  time_estimate: Type.Integer(),
  total_time_spent: Type.Integer(),
  human_time_estimate: nullable(Type.String()),
  human_total_time_spent: nullable(Type.String()),
});
export type TimeStatsEntity = Static<typeof TimeStats>;
