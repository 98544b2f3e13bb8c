import type { Area } from '../../access/area.ts';
import { cadenceRoutes } from './cadences/routes.ts';
import { cadenceJobs } from './cadences/service.ts';
import { iterationReferences } from './references.ts';
import { iterationRoutes } from './routes.ts';
import { iterationFields } from './service.ts';

export const iterations: Area = {
  name: 'iterations',
  routes: (services, gates) => [...iterationRoutes(services, gates), ...cadenceRoutes(services, gates)],
  jobs: cadenceJobs,
  contributes: { 'issues.fields': iterationFields, 'markdown.references': iterationReferences },
};
