import type { Area } from '../../access/area.ts';
import { serveUserAvatars } from './avatar.ts';
import { userJobs } from './jobs.ts';
import { userRoutes } from './routes.ts';

export const users: Area = {
  name: 'users',
  routes: userRoutes,
  jobs: userJobs,
  pages: async (app, { services }) => {
    serveUserAvatars(app, services);
    return undefined;
  },
};
