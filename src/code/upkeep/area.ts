import type { Area } from '../../access/area.ts';
import { upkeepJobs } from './jobs.ts';
import { scheduleUpkeep } from './refresh.ts';
import { upkeepRoutes } from './routes.ts';

/** Repository maintenance: statistics and housekeeping. */
export const upkeep: Area = {
  name: 'upkeep',
  routes: upkeepRoutes,
  jobs: upkeepJobs,
  on: { 'repository.pushed': scheduleUpkeep },
};
