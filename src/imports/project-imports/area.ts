import type { Area } from '../../access/area.ts';
import { importJobs } from './jobs.ts';
import { importStatusRoutes } from './routes.ts';
import { handOverImports } from './store.ts';

/** The framework shared by all imports: stages, imported objects and completion. */
export const projectImports: Area = {
  name: 'project imports',
  routes: importStatusRoutes,
  jobs: importJobs,
  on: { 'user.removed': (_services, trx, { user, heir }) => handOverImports(trx, user.id, heir?.id ?? null) },
};
