import type { Area } from '../../access/area.ts';
import { transferJobs } from './jobs.ts';
import { endOfImport } from './project/end.ts';
import { transferSource } from './project/stages.ts';
import { transferRoutes } from './routes.ts';

/** Direct transfer: imports groups and projects from another server through its API. */
export const directTransfer: Area = {
  name: 'direct transfer',
  routes: transferRoutes,
  jobs: transferJobs,
  contributes: { 'imports.source': transferSource },
  on: { 'import.ended': (_services, trx, ended) => endOfImport(trx, ended) },
};
