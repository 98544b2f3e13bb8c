import type { Area } from '../../access/area.ts';
import { deployRoutes } from './routes.ts';

export const deploy: Area = {
  name: 'deploy',
  routes: deployRoutes,
};
