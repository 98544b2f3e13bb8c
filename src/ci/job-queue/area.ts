import type { Area } from '../../access/area.ts';
import { inheritedVariables } from './inheritance.ts';
import { followGroup, followTransfer, instanceRunnerJobs } from './instance-runners.ts';
import { followJob, followProject } from './queue.ts';
import { followGroupLimits, followUserLimits, readmissionJobs } from './readmission.ts';
import { jobQueueRoutes } from './routes.ts';
import { runnerWaitlist } from './waiting.ts';

export const jobQueue: Area = {
  name: 'job queue',
  routes: jobQueueRoutes,
  jobs: (services) => {
    instanceRunnerJobs(services);
    readmissionJobs(services);
  },
  on: {
    'job.changed': followJob,
    'project.updated': followProject,
    'project.transferred': followTransfer,
    'group.updated': async (services, trx, change) => {
      await followGroup(services, trx, change);
      await followGroupLimits(services, trx, change);
    },
    'user.updated': followUserLimits,
  },
  contributes: { 'variables.dotenv': inheritedVariables },
  async pages(app, { services }) {
    // Release long-polling runners, which would delay the shutdown.
    app.addHook('preClose', (done) => {
      runnerWaitlist(services).close();
      done();
    });
    return undefined;
  },
};
