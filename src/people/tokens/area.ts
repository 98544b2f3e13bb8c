import type { Area } from '../../access/area.ts';
import { tokenRoutes } from './routes.ts';

export const tokens: Area = {
  name: 'tokens',
  routes: tokenRoutes,
};
