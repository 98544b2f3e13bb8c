import type { Area } from '../../access/area.ts';
import { pushJobs, repairAtStart } from './repair.ts';

export const pushes: Area = {
  name: 'pushes',
  jobs: pushJobs,
  repair: repairAtStart,
};
