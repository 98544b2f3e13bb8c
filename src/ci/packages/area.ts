import type { Area } from '../../access/area.ts';
import { packageJobs, removeWithProject } from './removal.ts';
import { packageRoutes } from './routes.ts';

export const packages: Area = {
  name: 'packages',
  routes: packageRoutes,
  jobs: packageJobs,
  on: { 'project.removed': removeWithProject },
};
