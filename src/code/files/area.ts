import type { Area } from '../../access/area.ts';
import { fileRoutes } from './routes.ts';

export const files: Area = {
  name: 'files',
  routes: fileRoutes,
};
