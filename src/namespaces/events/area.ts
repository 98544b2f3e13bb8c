import type { Area } from '../../access/area.ts';
import { eventRoutes } from './routes.ts';

export const events: Area = {
  name: 'events',
  routes: eventRoutes,
};
