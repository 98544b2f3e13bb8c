import type { Area } from '../../access/area.ts';
import { stuckJobs as sweep } from './service.ts';

export const stuckJobs: Area = {
  name: 'stuck jobs',
  jobs: sweep,
};
