import type { Area } from '../../access/area.ts';
import { servePictures } from './pictures.ts';
import { appearanceRoutes } from './routes.ts';

/** Appearance of the instance. */
export const appearance: Area = {
  name: 'appearance',
  routes: appearanceRoutes,
  pages: async (app, { services }) => {
    servePictures(app, services);
    return undefined;
  },
};
