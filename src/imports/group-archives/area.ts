import type { Area } from '../../access/area.ts';
import { groupArchiveJobs } from './jobs.ts';
import { groupArchiveRoutes } from './routes.ts';
import { findImport, handOverImports } from './store.ts';

/** Imports groups from export archives. */
export const groupArchives: Area = {
  name: 'imports of group files',
  routes: groupArchiveRoutes,
  jobs: groupArchiveJobs,
  on: {
    'group.removed': async ({ queue }, trx, { group }) => {
      const key = (await findImport(trx, group.id))?.storage_key;
      if (key) await queue.enqueue(trx, 'group-archives.clear', { key, groupId: group.id });
    },
    'user.removed': (_services, trx, { user, heir }) => handOverImports(trx, user.id, heir?.id ?? null),
  },
};
