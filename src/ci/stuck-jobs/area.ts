import type { Area } from '../../access/area.ts';
import { followRemoval, followUser, jobsOfBlockedUsers } from './blocked-users.ts';
import { stuckJobs as sweep } from './service.ts';

export const stuckJobs: Area = {
  name: 'stuck jobs',
  jobs: (services) => {
    sweep(services);
    jobsOfBlockedUsers(services);
  },
  on: { 'user.updated': followUser, 'user.removed': followRemoval },
};
