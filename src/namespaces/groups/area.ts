import type { Area } from '../../access/area.ts';
import { groupJobs } from './jobs.ts';
import { groupRoutes } from './routes.ts';

export const groups: Area = {
  name: 'groups',
  routes: groupRoutes,
  jobs: groupJobs,
};
