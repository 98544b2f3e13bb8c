import type { Area } from '../../access/area.ts';
import { signatureJobs } from './jobs.ts';
import { scheduleJudgement } from './pushed.ts';
import { forgetVerified } from './verified-store.ts';

export const signatures: Area = {
  name: 'signatures',
  jobs: signatureJobs,
  on: {
    'repository.pushed': scheduleJudgement,
    'key.removed': async (_services, trx, { key, kind, revoked }) => {
      if (kind === 'gpg' && revoked) await forgetVerified(trx, key.fingerprint);
    },
  },
};
