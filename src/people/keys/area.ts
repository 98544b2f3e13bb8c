import type { Area } from '../../access/area.ts';
import { keyRoutes } from './routes.ts';

export const keys: Area = {
  name: 'keys',
  routes: keyRoutes,
};
