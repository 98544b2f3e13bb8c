import type { Area } from '../../access/area.ts';
import { settingRoutes } from './routes.ts';
import { serveSecurityTxt } from './security-txt.ts';

/** Application settings, which administrators change at runtime. */
export const settings: Area = {
  name: 'settings',
  routes: settingRoutes,
  pages: async (app, { services }) => {
    serveSecurityTxt(app, services);
    return undefined;
  },
};
