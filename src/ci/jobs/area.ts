import type { Area } from '../../access/area.ts';
import { jobsOfPipelines } from './background.ts';

export const jobs: Area = {
  name: 'jobs',
  jobs: jobsOfPipelines,
};
