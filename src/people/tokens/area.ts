import type { Area } from '../../access/area.ts';
import { impersonationTokenRoutes } from './impersonation/routes.ts';
import { personalTokenRoutes } from './personal/routes.ts';

/** The access tokens of users: personal ones, and those that impersonate. */
export const tokens: Area = {
  name: 'tokens',
  routes: (services, gates) => [...personalTokenRoutes(services, gates), ...impersonationTokenRoutes(services, gates)],
};
