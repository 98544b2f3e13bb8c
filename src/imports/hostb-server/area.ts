import type { Area } from '../../access/area.ts';
import { hostbServerRoutes } from './routes.ts';
import { hostbServerSource } from './stages.ts';

/** Imports from Bitbucket Server and Data Center (hostb server). */
export const hostbServer: Area = {
  name: 'hostb server imports',
  routes: hostbServerRoutes,
  contributes: { 'imports.source': hostbServerSource },
};
