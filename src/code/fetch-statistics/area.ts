import type { Area } from '../../access/area.ts';
import { fetchStatisticsRoutes } from './routes.ts';

/** How often projects are cloned and fetched. */
export const fetchStatistics: Area = {
  name: 'fetch-statistics',
  routes: fetchStatisticsRoutes,
};
