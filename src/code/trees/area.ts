import type { Area } from '../../access/area.ts';
import { treeRoutes } from './routes.ts';

export const trees: Area = {
  name: 'trees',
  routes: treeRoutes,
};
