import type { Area } from '../../access/area.ts';
import { lastPipelineOf } from './last-pipeline.ts';
import { retentionJobs } from './retention.ts';
import { pipelineRoutes } from './routes.ts';

export const pipelines: Area = {
  name: 'pipelines',
  routes: pipelineRoutes,
  jobs: retentionJobs,
  contributes: { 'commits.lastPipeline': lastPipelineOf },
};
