import Type, { type Static } from 'typebox';
import { entity } from '../../platform/http/schema.ts';

export const FetchStatistics = entity('ProjectDailyStatistics', {
  fetches: Type.Object({
    total: Type.Integer(),
    days: Type.Array(Type.Object({ count: Type.Integer(), date: Type.String() })),
  }),
});
export type FetchStatisticsEntity = Static<typeof FetchStatistics>;
