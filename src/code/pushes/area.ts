import type { Area } from '../../access/area.ts';
import { pushJobs, repairAtStart } from './repair.ts';
import { removesBranch } from './store.ts';

export const pushes: Area = {
  name: 'pushes',
  jobs: pushJobs,
  contributes: { 'projects.removesBranch': removesBranch },
  repair: repairAtStart,
};
