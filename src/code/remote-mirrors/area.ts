import type { Area } from '../../access/area.ts';
import { remoteMirrorJobs } from './jobs.ts';
import { remoteMirrorRoutes } from './routes.ts';
import { followPush } from './schedule.ts';

/** Copies elsewhere that every push here is passed on to. */
export const remoteMirrors: Area = {
  name: 'remote mirrors',
  routes: remoteMirrorRoutes,
  jobs: remoteMirrorJobs,
  on: { 'repository.pushed': followPush },
};
