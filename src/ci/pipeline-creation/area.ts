import type { Area } from '../../access/area.ts';
import { creationJobs, schedulePipelines } from './pushed.ts';

export const pipelineCreation: Area = {
  name: 'pipeline creation',
  jobs: creationJobs,
  on: { 'repository.pushed': schedulePipelines },
};
