import type { Area } from '../../access/area.ts';
import { projectExportJobs } from './jobs.ts';
import { projectExportRoutes } from './routes.ts';
import { findExport } from './store.ts';

/** Exports projects to archives. */
export const projectExports: Area = {
  name: 'project exports',
  routes: projectExportRoutes,
  jobs: projectExportJobs,
  on: {
    'project.removed': async ({ queue }, trx, { project }) => {
      const key = (await findExport(trx, project.id))?.storage_key;
      if (key) await queue.enqueue(trx, 'project-exports.discard', { key });
    },
  },
};
