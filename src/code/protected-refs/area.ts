import type { Area } from '../../access/area.ts';
import { protectedRefRoutes } from './routes.ts';

export const protectedRefs: Area = {
  name: 'protected-refs',
  routes: protectedRefRoutes,
};
