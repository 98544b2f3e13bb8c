import type { Area } from '../../access/area.ts';
import { groupJobs } from './jobs.ts';
import { keepLastOwner, removeWithOwner } from './leaving-owners.ts';
import { groupRoutes } from './routes.ts';

export const groups: Area = {
  name: 'groups',
  routes: groupRoutes,
  jobs: groupJobs,
  on: { 'user.leaving': keepLastOwner, 'user.removed': removeWithOwner },
};
