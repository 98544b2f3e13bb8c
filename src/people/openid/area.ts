import type { Area } from '../../access/area.ts';
import { ssoPasswordPolicy } from './sso-password-policy.ts';
import { deleteExpiredFlows } from './store.ts';

const hour = 3_600_000;

/** Sign-in through OpenID Connect providers. */
export const openid: Area = {
  name: 'openid',
  contributes: { 'passwords.directories': ssoPasswordPolicy },
  jobs: ({ db, queue }) => {
    queue.recurring('openid.forget-spent', { everyMs: hour }, () =>
      db.write((trx) => deleteExpiredFlows(trx, Date.now())),
    );
  },
};
