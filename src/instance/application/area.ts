import type { Area } from '../../access/area.ts';
import { instanceRoutes } from './routes.ts';

export const application: Area = {
  name: 'application',
  routes: instanceRoutes,
};
