import type { Area } from '../../access/area.ts';
import { clientRoutes, unleashRoutes } from './client/routes.ts';
import { flagRoutes } from './flags/routes.ts';
import { userListRoutes } from './user-lists/routes.ts';

/** Feature flags of a project and the Unleash API with which applications read them. */
export const featureFlags: Area = {
  name: 'feature flags',
  routes: (services, gates) => [
    ...flagRoutes(services, gates),
    ...userListRoutes(services, gates),
    ...clientRoutes(services, gates),
    ...unleashRoutes(services),
  ],
};
