import type { Area } from '../../access/area.ts';
import { importJobs } from './jobs.ts';
import { importStatusRoutes } from './routes.ts';
import { handOverImports } from './store.ts';

/** What all imports have in common: their stages, what they have brought, and how they end. */
export const projectImports: Area = {
  name: 'project imports',
  routes: importStatusRoutes,
  jobs: importJobs,
  on: { 'user.removed': (_services, trx, { user, heir }) => handOverImports(trx, user.id, heir?.id ?? null) },
};
