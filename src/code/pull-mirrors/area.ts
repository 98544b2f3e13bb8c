import type { Area } from '../../access/area.ts';
import { pullMirrorJobs } from './jobs.ts';
import { pullMirrorRoutes } from './routes.ts';
import { applyPullMirrorSettings } from './service.ts';

/** Pull mirrors: projects that follow a remote repository. */
export const pullMirrors: Area = {
  name: 'pull mirrors',
  routes: pullMirrorRoutes,
  jobs: pullMirrorJobs,
  contributes: { 'projects.follow': applyPullMirrorSettings },
};
