import type { Area } from '../../access/area.ts';
import { settingRoutes } from './routes.ts';

/** What administrators change for everyone while the server runs. */
export const settings: Area = {
  name: 'settings',
  routes: settingRoutes,
};
