import type { Area } from '../../access/area.ts';
import { lfsJobs } from './service.ts';

export const lfs: Area = {
  name: 'lfs',
  jobs: lfsJobs,
};
