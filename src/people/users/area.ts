import type { Area } from '../../access/area.ts';
import { accountRoutes } from './accounts/routes.ts';
import { activityRoutes } from './activities/routes.ts';
import { serveUserAvatars } from './avatar/pages.ts';
import { avatarRoutes } from './avatar/routes.ts';
import { countRoutes } from './counts/routes.ts';
import { serveConfirmations } from './emails/pages.ts';
import { emailRoutes } from './emails/routes.ts';
import { followRoutes } from './follows/routes.ts';
import { createUserGates } from './gates.ts';
import { identityRoutes } from './identities/routes.ts';
import { membershipRoutes } from './memberships/routes.ts';
import { preferenceRoutes } from './preferences/routes.ts';
import { profileRoutes } from './profiles/routes.ts';
import { removalJobs } from './removal/jobs.ts';
import { removalRoutes } from './removal/routes.ts';
import { deactivateDormant } from './states/dormant.ts';
import { stateRoutes } from './states/routes.ts';
import { statusRoutes } from './status/routes.ts';
import { supportPinRoutes } from './support-pins/routes.ts';

/** `/users`, `/user` and their subresources. */
export const users: Area = {
  name: 'users',
  routes: (services, gates) => {
    const byId = createUserGates(services.db, gates);
    return [
      ...profileRoutes(services, gates, byId),
      ...statusRoutes(services, gates),
      ...supportPinRoutes(services, gates, byId),
      ...preferenceRoutes(services, gates),
      ...countRoutes(services, gates),
      ...avatarRoutes(services, gates),
      ...accountRoutes(services, gates, byId),
      ...removalRoutes(services, byId),
      ...identityRoutes(services, byId),
      ...stateRoutes(services, byId),
      ...emailRoutes(services, gates, byId),
      ...followRoutes(services, byId),
      ...activityRoutes(services, gates),
      ...membershipRoutes(services, byId),
    ];
  },
  jobs: (services) => {
    removalJobs(services);
    services.queue.recurring('users.dormant', { everyMs: 86_400_000 }, ({ signal }) =>
      deactivateDormant(services, signal),
    );
  },
  pages: async (app, { services }) => {
    serveUserAvatars(app, services);
    await serveConfirmations(app, services);
    return undefined;
  },
};
