import type { Area } from '../../access/area.ts';
import { commitStatusRoutes } from './routes.ts';

export const commitStatuses: Area = {
  name: 'commit statuses',
  routes: commitStatusRoutes,
};
