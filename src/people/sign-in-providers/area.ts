import type { Area } from '../../access/area.ts';
import { ssoPasswordPolicy } from './sso-password-policy.ts';
import { deleteExpired } from './store.ts';

const hour = 3_600_000;

/** What sign-in through identity providers has in common, whatever their protocol. */
export const signInProviders: Area = {
  name: 'sign-in providers',
  contributes: { 'passwords.directories': ssoPasswordPolicy },
  jobs: ({ db, queue }) => {
    queue.recurring('sign-in-providers.forget-spent', { everyMs: hour }, () =>
      db.write((trx) => deleteExpired(trx, Date.now())),
    );
  },
};
