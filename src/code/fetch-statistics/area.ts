import type { Area } from '../../access/area.ts';
import { fetchStatisticsRoutes } from './routes.ts';

/** Counts clones and fetches of projects. */
export const fetchStatistics: Area = {
  name: 'fetch-statistics',
  routes: fetchStatisticsRoutes,
};
