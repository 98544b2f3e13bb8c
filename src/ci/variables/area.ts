import type { Area } from '../../access/area.ts';
import { variableRoutes } from './routes.ts';

export const variables: Area = {
  name: 'CI/CD variables',
  routes: variableRoutes,
};
