import type { Area } from '../../access/area.ts';
import { deploymentRoutes } from './deployments/routes.ts';
import { deploymentJobs, environmentVariables, followJob } from './job-deployments.ts';
import { clearanceOfJob } from './protection/rights.ts';
import { groupProtectionRoutes, projectProtectionRoutes } from './protection/routes.ts';
import { environmentRoutes } from './routes.ts';
import { followPush, stoppingJobs } from './stopping.ts';
import { reassignDeployments } from './store.ts';

export const environments: Area = {
  name: 'environments',
  routes: (services, gates) => [
    ...environmentRoutes(services, gates),
    ...deploymentRoutes(services, gates),
    ...projectProtectionRoutes(services, gates),
    ...groupProtectionRoutes(services, gates),
  ],
  jobs: (services) => {
    stoppingJobs(services);
    deploymentJobs(services);
  },
  on: {
    'job.changed': followJob,
    'repository.pushed': followPush,
    'user.removed': (_services, trx, { user, heir }) => reassignDeployments(trx, user.id, heir?.id ?? null),
  },
  contributes: { 'variables.predefined': environmentVariables, 'jobs.clearance': clearanceOfJob },
};
