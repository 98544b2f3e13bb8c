import type { Area } from '../../access/area.ts';
import { insteadOfPasswords } from './instead-of-passwords.ts';
import { forgetSpentFlows } from './store.ts';

const hour = 3_600_000;

/** Sign-in through OpenID Connect providers. */
export const openid: Area = {
  name: 'openid',
  contributes: { 'passwords.directories': insteadOfPasswords },
  jobs: ({ db, queue }) => {
    queue.recurring('openid.forget-spent', { everyMs: hour }, () =>
      db.write((trx) => forgetSpentFlows(trx, Date.now())),
    );
  },
};
