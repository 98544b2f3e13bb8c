import type { Area } from '../../access/area.ts';
import { namespaceRoutes } from './routes.ts';

export const namespaces: Area = {
  name: 'namespaces',
  routes: namespaceRoutes,
};
