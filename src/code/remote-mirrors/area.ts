import type { Area } from '../../access/area.ts';
import { remoteMirrorJobs } from './jobs.ts';
import { remoteMirrorRoutes } from './routes.ts';
import { scheduleAfterPush } from './schedule.ts';

/** Push mirrors: remote copies of a project that every push is replicated to. */
export const remoteMirrors: Area = {
  name: 'remote mirrors',
  routes: remoteMirrorRoutes,
  jobs: remoteMirrorJobs,
  on: { 'repository.pushed': scheduleAfterPush },
};
