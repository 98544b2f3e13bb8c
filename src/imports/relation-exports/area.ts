import type { Area } from '../../access/area.ts';
import type { OwnerColumns } from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import { relationExportJobs } from './jobs.ts';
import { relationExportRoutes } from './routes.ts';
import * as store from './store.ts';

async function discard({ queue }: Services, trx: Writer, owner: OwnerColumns): Promise<void> {
  const ids = (await store.exportsOf(trx, owner)).map(({ id }) => id);
  const keys = (await store.filesOf(trx, ids)).map(({ storage_key }) => storage_key);
  if (keys.length > 0) await queue.enqueue(trx, 'relation-exports.discard', { keys });
}

/** Exports projects and groups with one file per relation, for direct transfer. */
export const relationExports: Area = {
  name: 'relation exports',
  routes: relationExportRoutes,
  jobs: relationExportJobs,
  on: {
    'project.removed': (services, trx, { project }) =>
      discard(services, trx, { project_id: project.id, namespace_id: null }),
    'group.removed': (services, trx, { group }) => discard(services, trx, { project_id: null, namespace_id: group.id }),
  },
};
