import type { Area } from '../../access/area.ts';
import { forgetSpentFlows } from './store.ts';

const hour = 3_600_000;

/** People who sign in through a provider of their own: OpenID Connect. */
export const openid: Area = {
  name: 'openid',
  jobs: ({ db, queue }) => {
    queue.recurring('openid.forget-spent', { everyMs: hour }, () =>
      db.write((trx) => forgetSpentFlows(trx, Date.now())),
    );
  },
};
