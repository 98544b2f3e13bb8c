import type { Area } from '../../access/area.ts';
import { jobLogRoutes } from './routes.ts';
import { eraseLog, logJobs, openLog, scheduleStoring } from './service.ts';

export const jobLogs: Area = {
  name: 'job logs',
  routes: jobLogRoutes,
  jobs: logJobs,
  on: { 'job.changed': scheduleStoring, 'job.erased': eraseLog },
  contributes: { 'jobs.trace': openLog },
};
