import type { Area } from '../../access/area.ts';
import { followJob, followPipeline, followRemoval, resourceJobs } from './assignment.ts';
import { resourceGroupRoutes } from './routes.ts';

export const resourceGroups: Area = {
  name: 'resource groups',
  routes: resourceGroupRoutes,
  jobs: resourceJobs,
  on: { 'job.changed': followJob, 'pipeline.planned': followPipeline, 'pipeline.removed': followRemoval },
};
