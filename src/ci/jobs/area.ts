import type { Area } from '../../access/area.ts';
import { pipelineJobs } from './background.ts';
import { jobRoutes } from './routes.ts';

export const jobs: Area = {
  name: 'jobs',
  routes: jobRoutes,
  jobs: pipelineJobs,
};
