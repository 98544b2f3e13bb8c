import type { Area } from '../../access/area.ts';
import { hostaRoutes } from './routes.ts';
import { hostaSource } from './stages/source.ts';

/** Imports from GitHub and GitHub Enterprise (hosta). */
export const hosta: Area = {
  name: 'hosta imports',
  routes: hostaRoutes,
  contributes: { 'imports.source': hostaSource },
};
