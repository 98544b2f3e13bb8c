import type { Area } from '../../access/area.ts';
import { errorJobs } from './jobs.ts';

export const trackedErrors: Area = {
  name: 'error-tracking/errors',
  jobs: errorJobs,
};
