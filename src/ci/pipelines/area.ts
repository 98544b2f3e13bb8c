import type { Area } from '../../access/area.ts';
import { lastPipelineOf } from './last-pipeline.ts';

export const pipelines: Area = {
  name: 'pipelines',
  contributes: { 'commits.lastPipeline': lastPipelineOf },
};
