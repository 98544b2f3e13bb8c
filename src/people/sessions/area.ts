import type { Area } from '../../access/area.ts';
import { sendAccountEmail } from './account-emails.ts';
import { sessionRoutes } from './routes.ts';
import { deleteExpiredSessions, endSessionsOf } from './store.ts';

const hour = 3_600_000;

/** Browser sessions: users can list and revoke them; a block or a new password revokes all. */
export const sessions: Area = {
  name: 'sessions',
  routes: (services, gates) => sessionRoutes(services, gates),
  jobs: (services) => {
    const { db, queue } = services;
    queue.defineJob('sessions.email', ({ payload }) => sendAccountEmail(services, payload), { maxAttempts: 5 });
    queue.recurring('sessions.forget-expired', { everyMs: hour }, () =>
      db.write((trx) => deleteExpiredSessions(trx, Date.now())),
    );
  },
  on: {
    'user.updated': async (_services, trx, { user, changed }) => {
      if (changed.has('password_digest')) await endSessionsOf(trx, user.id);
    },
    'user.state_changed': async (_services, trx, { user }) => {
      if (user.state !== 'active') await endSessionsOf(trx, user.id);
    },
    'user.removed': (_services, trx, { user }) => endSessionsOf(trx, user.id),
  },
};
