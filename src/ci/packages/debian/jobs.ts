import type { Services } from '../../../access/services.ts';
import { generateRelease } from './indexes/generate.ts';
import { renewExpiring } from './indexes/refresh.ts';
import { processUpload } from './uploads/process.ts';
import { sweepIncoming } from './uploads/sweep.ts';

const tenMinutes = 600_000;
const hour = 6 * tenMinutes;

export function debianJobs(services: Services): void {
  const { queue } = services;
  queue.defineJob('packages.process-debian', (job) => processUpload(services, job), { timeoutMs: tenMinutes });
  queue.defineJob('packages.release-debian', (job) => generateRelease(services, job), { timeoutMs: hour });
  queue.recurring('renew-debian-releases', { everyMs: hour }, () => renewExpiring(services));
  queue.recurring('sweep-debian-uploads', { minute: 53, hour: 4 }, ({ signal }) => sweepIncoming(services, signal));
}
