import type { Area } from '../../access/area.ts';
import { errorJobs } from './jobs.ts';
import { errorRoutes } from './routes.ts';

export const trackedErrors: Area = {
  name: 'error-tracking/errors',
  routes: errorRoutes,
  jobs: errorJobs,
  on: {
    'project.removed': async ({ queue }, trx, { project }) => {
      await queue.enqueue(trx, 'error-tracking.clear', { projectId: project.id });
    },
  },
};
