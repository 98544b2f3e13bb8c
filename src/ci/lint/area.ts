import type { Area } from '../../access/area.ts';
import { lintRoutes } from './routes.ts';

export const lint: Area = {
  name: 'lint',
  routes: lintRoutes,
};
