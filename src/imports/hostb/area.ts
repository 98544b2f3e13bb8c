import type { Area } from '../../access/area.ts';
import { hostbRoutes } from './routes.ts';
import { hostbSource } from './stages/source.ts';

/** Imports from Bitbucket Cloud (hostb). */
export const hostb: Area = {
  name: 'hostb imports',
  routes: hostbRoutes,
  contributes: { 'imports.source': hostbSource },
};
