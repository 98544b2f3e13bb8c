import type { Area } from '../../access/area.ts';
import { pushJobs, scheduleVerification } from './pushed.ts';
import { signatureRoutes } from './routes.ts';
import { deleteVerificationsByKey } from './store.ts';
import { revocationJobs } from './x509/revocations.ts';

export const signatures: Area = {
  name: 'signatures',
  routes: signatureRoutes,
  jobs: (services) => {
    revocationJobs(services);
    pushJobs(services);
  },
  on: {
    'repository.pushed': scheduleVerification,
    'key.removed': async (_services, trx, { key, kind, revoked }) => {
      if (kind === 'gpg' && revoked) await deleteVerificationsByKey(trx, key.fingerprint);
    },
  },
};
