import type { Area } from '../../access/area.ts';
import { cherryPickRoutes } from './cherry-pick/routes.ts';
import { commitRoutes } from './routes.ts';
import { submoduleRoutes } from './submodules/routes.ts';

export const commits: Area = {
  name: 'commits',
  routes: (services, gates) => [
    ...commitRoutes(services, gates),
    ...cherryPickRoutes(services, gates),
    ...submoduleRoutes(services, gates),
  ],
};
