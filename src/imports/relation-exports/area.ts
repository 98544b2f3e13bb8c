import type { Area } from '../../access/area.ts';
import { relationExportJobs } from './jobs.ts';
import { relationExportRoutes } from './routes.ts';
import * as store from './store.ts';

/** Projects as one file a relation, for servers that take them over. */
export const relationExports: Area = {
  name: 'relation exports',
  routes: relationExportRoutes,
  jobs: relationExportJobs,
  on: {
    'project.removed': async ({ queue }, trx, { project }) => {
      const ids = (await store.exportsOf(trx, project.id)).map(({ id }) => id);
      const keys = (await store.filesOf(trx, ids)).map(({ storage_key }) => storage_key);
      if (keys.length > 0) await queue.enqueue(trx, 'relation-exports.discard', { keys });
    },
  },
};
