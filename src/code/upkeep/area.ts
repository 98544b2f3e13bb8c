import type { Area } from '../../access/area.ts';
import { upkeepJobs } from './jobs.ts';
import { scheduleUpkeep } from './refresh.ts';
import { upkeepRoutes } from './routes.ts';

/** What is done to repositories, beside what people do: measuring them, and tidying them up. */
export const upkeep: Area = {
  name: 'upkeep',
  routes: upkeepRoutes,
  jobs: upkeepJobs,
  on: { 'repository.pushed': scheduleUpkeep },
};
