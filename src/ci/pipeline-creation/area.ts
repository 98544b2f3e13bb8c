import type { Area } from '../../access/area.ts';
import { cancelAfterFailure, failureJobs } from './failed-job.ts';
import { creationJobs, followPipelineOptions, schedulePipelines } from './pushed.ts';

export const pipelineCreation: Area = {
  name: 'pipeline creation',
  jobs: (services) => {
    creationJobs(services);
    failureJobs(services);
  },
  contributes: { 'pushes.options': followPipelineOptions },
  on: { 'repository.pushed': schedulePipelines, 'job.changed': cancelAfterFailure },
};
