import type { Area } from '../../access/area.ts';
import { jobTokenLookup } from '../../access/credentials/job-tokens.ts';
import { checkPasswordOfProgram } from '../../access/credentials/passwords.ts';
import { createAuthenticate } from '../../code/transport/public.ts';
import { bulkJobs } from './cleanup/bulk.ts';
import { fileJobs } from './cleanup/files.ts';
import { cleanupTimes, policyJobs } from './cleanup/policy.ts';
import { removeWithProject, sweepJobs } from './cleanup/sweep.ts';
import { registryRoutes } from './distribution/routes.ts';
import { protectionRoutes } from './protection/routes.ts';
import { repositoryRoutes } from './repositories/routes.ts';
import { repositoryJobs } from './repositories/service.ts';

export const registry: Area = {
  name: 'registry',
  routes: (services, gates) =>
    services.config.registry === 'off'
      ? []
      : [...repositoryRoutes(services, gates), ...protectionRoutes(services, gates)],
  jobs(services) {
    repositoryJobs(services);
    bulkJobs(services);
    policyJobs(services);
    fileJobs(services);
    sweepJobs(services);
  },
  on: { 'project.removed': removeWithProject },
  contributes: { 'projects.cleanupTimes': cleanupTimes },
  pages: async (app, { services, lastUse }) => {
    if (services.config.registry === 'off') return undefined;
    const authenticate = createAuthenticate({
      services,
      lastUse,
      jobToken: jobTokenLookup(services),
      checkPassword: (login, password) => checkPasswordOfProgram(services, login, password),
    });
    await app.register(registryRoutes({ services, authenticate }));
    return undefined;
  },
};
