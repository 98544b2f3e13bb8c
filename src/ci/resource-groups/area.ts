import type { Area } from '../../access/area.ts';
import { resourceGroupRoutes } from './routes.ts';
import { followJob, resourceJobs } from './turns.ts';

export const resourceGroups: Area = {
  name: 'resource groups',
  routes: resourceGroupRoutes,
  jobs: resourceJobs,
  on: { 'job.changed': followJob },
};
