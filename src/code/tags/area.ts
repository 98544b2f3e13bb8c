import type { Area } from '../../access/area.ts';
import { tagRoutes } from './routes.ts';

export const tags: Area = {
  name: 'tags',
  routes: tagRoutes,
};
