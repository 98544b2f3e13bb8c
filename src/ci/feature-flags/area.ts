import type { Area } from '../../access/area.ts';
import { clientRoutes, unleashRoutes } from './client/routes.ts';
import { flagRoutes } from './flags/routes.ts';
import { userListRoutes } from './user-lists/routes.ts';

/** What applications do or leave by what their project says, read by Unleash clients. */
export const featureFlags: Area = {
  name: 'feature flags',
  routes: (services, gates) => [
    ...flagRoutes(services, gates),
    ...userListRoutes(services, gates),
    ...clientRoutes(services, gates),
    ...unleashRoutes(services),
  ],
};
