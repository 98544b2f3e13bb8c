import type { Area } from '../../access/area.ts';
import { relationImportJobs } from './jobs.ts';
import { relationImportRoutes } from './routes.ts';
import { handOverImports, runningImport } from './store.ts';

/** Imports a single relation of an archive into an existing project. */
export const relationImports: Area = {
  name: 'imports of relations',
  routes: relationImportRoutes,
  jobs: relationImportJobs,
  on: {
    'project.removed': async ({ queue }, trx, { project }) => {
      const running = await runningImport(trx, project.id);
      if (running?.storage_key == null) return;
      await queue.enqueue(trx, 'relation-imports.clear', { key: running.storage_key, importId: running.id });
    },
    'user.removed': (_services, trx, { user, heir }) => handOverImports(trx, user.id, heir?.id ?? null),
  },
};
