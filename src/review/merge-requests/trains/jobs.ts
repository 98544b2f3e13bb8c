import type { Services } from '../../../access/services.ts';
import { driveTrain } from './drive.ts';

/** Registers the background jobs of merge trains. */
export function trainJobs(services: Services): void {
  services.queue.defineJob('merge-trains.drive', ({ payload, signal }) => driveTrain(services, payload, signal), {
    maxAttempts: 8,
    timeoutMs: 600_000,
  });
}
