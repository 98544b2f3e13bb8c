import type { Area } from '../../access/area.ts';
import { forkJobs } from './copy.ts';
import { decrementForksCount } from './relation.ts';
import { forkRoutes } from './routes.ts';

/** Creating forks, copying their repositories, and the fork relation. */
export const forks: Area = {
  name: 'forks',
  routes: forkRoutes,
  jobs: forkJobs,
  on: { 'project.removed': decrementForksCount },
};
