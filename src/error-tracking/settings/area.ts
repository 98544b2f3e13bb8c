import type { Area } from '../../access/area.ts';
import { settingRoutes } from './routes.ts';

export const errorTrackingSettings: Area = {
  name: 'error-tracking/settings',
  routes: settingRoutes,
};
