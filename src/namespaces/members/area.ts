import type { Area } from '../../access/area.ts';
import { memberJobs } from './jobs.ts';
import { memberRoutes } from './routes.ts';

export const members: Area = {
  name: 'members',
  routes: memberRoutes,
  jobs: memberJobs,
};
