import type { Area } from '../../access/area.ts';
import { branchRoutes } from './routes.ts';
import { branchJobs } from './service.ts';

export const branches: Area = {
  name: 'branches',
  routes: branchRoutes,
  jobs: branchJobs,
};
