import type { Area } from '../../access/area.ts';
import { compareRoutes } from './routes.ts';

export const compare: Area = {
  name: 'compare',
  routes: compareRoutes,
};
