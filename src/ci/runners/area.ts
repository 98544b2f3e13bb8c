import type { Area } from '../../access/area.ts';
import { runnerRoutes } from './routes.ts';

export const runners: Area = {
  name: 'runners',
  routes: runnerRoutes,
};
