import type { Area } from '../../access/area.ts';
import { notificationSettingRoutes } from './routes.ts';

export const notificationSettings: Area = {
  name: 'notification-settings',
  routes: notificationSettingRoutes,
};
