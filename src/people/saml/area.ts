import type { Area } from '../../access/area.ts';
import { offeredSamlProviders } from './sign-in.ts';
import { deleteExpiredArrivals } from './store.ts';

const hour = 3_600_000;

/** Sign-in through SAML 2.0 providers. */
export const saml: Area = {
  name: 'saml',
  contributes: { 'sign-in.providers': offeredSamlProviders },
  jobs: ({ db, queue }) => {
    queue.recurring('saml.forget-arrivals', { everyMs: hour }, () =>
      db.write((trx) => deleteExpiredArrivals(trx, Date.now())),
    );
  },
};
