import type { Area } from '../../access/area.ts';
import { cadenceRoutes } from './cadences/routes.ts';
import { cadenceJobs } from './cadences/service.ts';
import { iterationReferences } from './references.ts';
import { iterationEventRoutes } from './resource-events/routes.ts';
import { recordIteration } from './resource-events/service.ts';
import { handOverEvents } from './resource-events/store.ts';
import { iterationRoutes } from './routes.ts';
import { iterationFields } from './service.ts';

export const iterations: Area = {
  name: 'iterations',
  routes: (services, gates) => [
    ...iterationRoutes(services, gates),
    ...cadenceRoutes(services, gates),
    ...iterationEventRoutes(services, gates),
  ],
  jobs: cadenceJobs,
  on: {
    'issue.changed': recordIteration,
    'user.removed': (_services, trx, { user, heir }) => handOverEvents(trx, user.id, heir?.id ?? null),
  },
  contributes: { 'issues.fields': iterationFields, 'markdown.references': iterationReferences },
};
