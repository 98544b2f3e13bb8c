import type { Area } from '../../access/area.ts';
import { groupExportJobs } from './jobs.ts';
import { groupExportRoutes } from './routes.ts';
import { findExport } from './store.ts';

/** Exports groups to archives. */
export const groupExports: Area = {
  name: 'group exports',
  routes: groupExportRoutes,
  jobs: groupExportJobs,
  on: {
    'group.removed': async ({ queue }, trx, { group }) => {
      const key = (await findExport(trx, group.id))?.storage_key;
      if (key) await queue.enqueue(trx, 'group-exports.discard', { key });
    },
  },
};
