import type { Area } from '../../access/area.ts';
import { archiveRoutes } from './routes.ts';
import { archiveJobs } from './service.ts';

export const archives: Area = {
  name: 'archives',
  routes: archiveRoutes,
  jobs: archiveJobs,
};
