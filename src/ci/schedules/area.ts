import type { Area } from '../../access/area.ts';
import { scheduleRoutes } from './routes.ts';
import { scheduleJobs, scheduleVariablesOfJob } from './run.ts';
import { deactivateSchedulesOf } from './store.ts';

export const schedules: Area = {
  name: 'pipeline schedules',
  routes: scheduleRoutes,
  jobs: scheduleJobs,
  on: { 'user.removed': (_services, trx, { user }) => deactivateSchedulesOf(trx, user.id) },
  contributes: { 'variables.predefined': scheduleVariablesOfJob },
};
