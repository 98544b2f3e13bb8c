import type { Services } from '../../access/services.ts';
import { pushJobs } from './pushed.ts';
import { revocationJobs } from './revocations.ts';

/** What is done about signatures in the background. */
export function signatureJobs(services: Services): void {
  revocationJobs(services);
  pushJobs(services);
}
