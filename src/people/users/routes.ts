import type { Gates } from '../../access/gates.ts';
import type { Route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { accountRoutes } from './account-routes.ts';
import { emailRoutes } from './email-routes.ts';
import { createUserGates } from './gates.ts';
import { listRoutes } from './list-routes.ts';
import { ownRoutes } from './own-routes.ts';
import { socialRoutes } from './social-routes.ts';

/** `/users`, `/user`, and what belongs to one user. */
export function userRoutes(services: Services, gates: Gates): Route[] {
  const users = createUserGates(services.db, gates);
  return [
    ...listRoutes(services, users),
    ...ownRoutes(services, gates),
    ...accountRoutes(services, gates, users),
    ...emailRoutes(services, gates, users),
    ...socialRoutes(services, gates, users),
  ];
}
