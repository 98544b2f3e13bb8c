import type { Area } from '../../access/area.ts';
import { lastPipelineOf } from './last-pipeline.ts';
import { pipelineRoutes } from './routes.ts';

export const pipelines: Area = {
  name: 'pipelines',
  routes: pipelineRoutes,
  contributes: { 'commits.lastPipeline': lastPipelineOf },
};
