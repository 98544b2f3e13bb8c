import type { Area } from '../../access/area.ts';
import { languageRoutes } from './routes.ts';

/** The programming languages used in projects. */
export const languages: Area = {
  name: 'languages',
  routes: languageRoutes,
};
