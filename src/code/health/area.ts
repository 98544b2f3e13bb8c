import type { Area } from '../../access/area.ts';
import { healthRoutes } from './routes.ts';
import { healthJobs } from './service.ts';

export const health: Area = {
  name: 'health',
  routes: healthRoutes,
  jobs: healthJobs,
};
