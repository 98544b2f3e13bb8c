import type { Area } from '../../access/area.ts';
import { hostaRoutes } from './routes.ts';
import { hostaSource } from './stages/source.ts';

/** Imports from hosta: GitHub and GitHub Enterprise. */
export const hosta: Area = {
  name: 'hosta imports',
  routes: hostaRoutes,
  contributes: { 'imports.source': hostaSource },
};
