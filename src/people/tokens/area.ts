import type { Area } from '../../access/area.ts';
import { tokenAdministrationRoutes } from './administration/routes.ts';
import { knownAccessToken } from './administration/service.ts';
import { announceExpiring } from './expiring.ts';
import { impersonationTokenRoutes } from './impersonation/routes.ts';
import { personalTokenRoutes } from './personal/routes.ts';

/** Access tokens of users: personal and impersonation tokens. */
export const tokens: Area = {
  name: 'tokens',
  jobs: (services) =>
    services.queue.recurring('tokens.expiring', { everyMs: 86_400_000 }, ({ signal }) =>
      announceExpiring(services, signal),
    ),
  routes: (services, gates) => [
    ...personalTokenRoutes(services, gates),
    ...impersonationTokenRoutes(services, gates),
    ...tokenAdministrationRoutes(services, gates),
  ],
  contributes: { 'tokens.known': { identify: knownAccessToken } },
};
