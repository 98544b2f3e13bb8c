import type { Area } from '../../access/area.ts';
import { serveOAuth } from './pages.ts';
import { applicationRoutes } from './routes.ts';
import { deleteExpiredGrants } from './store.ts';

const hour = 3_600_000;
const keptAfterEnd = 30 * 24 * hour;

/** OAuth 2.0 and OpenID Connect provider. */
export const oauth: Area = {
  name: 'oauth',
  routes: (services, gates) => applicationRoutes(services, gates),
  jobs: ({ db, queue }) => {
    queue.recurring('oauth.forget-spent', { everyMs: hour }, () =>
      db.write((trx) => deleteExpiredGrants(trx, Date.now(), Date.now() - keptAfterEnd)),
    );
  },
  pages: async (app, { services }) => {
    await serveOAuth(app, services);
    return undefined;
  },
};
