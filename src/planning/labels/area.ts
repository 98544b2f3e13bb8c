import type { Area } from '../../access/area.ts';
import { labelRoutes } from './routes.ts';

export const labels: Area = {
  name: 'labels',
  routes: labelRoutes,
};
