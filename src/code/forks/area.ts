import type { Area } from '../../access/area.ts';
import { forkJobs } from './copy.ts';
import { countForkOff } from './relation.ts';
import { forkRoutes } from './routes.ts';

/** Forks of projects: their making, their repositories, and what they came from. */
export const forks: Area = {
  name: 'forks',
  routes: forkRoutes,
  jobs: forkJobs,
  on: { 'project.removed': countForkOff },
};
