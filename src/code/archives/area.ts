import type { Area } from '../../access/area.ts';
import { archiveJobs } from './jobs.ts';
import { archiveRoutes } from './routes.ts';

export const archives: Area = {
  name: 'archives',
  routes: archiveRoutes,
  jobs: archiveJobs,
};
