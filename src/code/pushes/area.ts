import type { Area } from '../../access/area.ts';
import { pushJobs, repairPushes } from './repair.ts';

export const pushes: Area = {
  name: 'pushes',
  jobs: pushJobs,
  repair: async (services) => {
    await repairPushes(services);
  },
};
