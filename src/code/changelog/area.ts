import type { Area } from '../../access/area.ts';
import { changelogRoutes } from './routes.ts';

export const changelog: Area = {
  name: 'changelog',
  routes: changelogRoutes,
};
