import type { Area } from '../../access/area.ts';
import { defineBlockedUserJobs, onUserRemoved, onUserUpdated } from './blocked-users.ts';
import { stuckJobs as sweep } from './service.ts';

export const stuckJobs: Area = {
  name: 'stuck jobs',
  jobs: (services) => {
    sweep(services);
    defineBlockedUserJobs(services);
  },
  on: { 'user.updated': onUserUpdated, 'user.removed': onUserRemoved },
};
