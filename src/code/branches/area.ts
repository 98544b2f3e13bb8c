import type { Area } from '../../access/area.ts';
import { branchJobs } from './delete-merged.ts';
import { branchRoutes } from './routes.ts';

export const branches: Area = {
  name: 'branches',
  routes: branchRoutes,
  jobs: branchJobs,
};
