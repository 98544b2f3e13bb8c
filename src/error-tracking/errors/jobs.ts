import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import { recordEvents } from './recording/record.ts';
import { recordFailedEvents } from './recording/record-failed.ts';
import { clearProject, purge, thinEvents } from './retention/retention.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    /** Records received events. */
    'error-tracking.record': null;
    /** Records the events of a batch that could not be recorded with others. */
    'error-tracking.record-failed': { batchId: number };
    /** Deletes the data of a deleted project. */
    'error-tracking.clear': { projectId: number };
  }
}

const minute = 60_000;
const long = { timeoutMs: 120 * minute };

/** Queues the recording of events inserted by the transaction. */
export async function scheduleRecording({ queue }: Services, trx: Writer): Promise<void> {
  await queue.enqueue(trx, 'error-tracking.record', null, { dedupeKey: 'all' });
}

/** Defines the jobs for error tracking. */
export function errorJobs(services: Services): void {
  const { queue } = services;
  queue.defineJob('error-tracking.record', ({ signal }) => recordEvents(services, signal), { concurrency: 1 });
  queue.defineJob(
    'error-tracking.record-failed',
    ({ payload, signal }) => recordFailedEvents(services, payload.batchId, signal),
    // Counts only the failures that the events cause; the rest are outages, which may last.
    { concurrency: 1, maxAttempts: 1000 },
  );
  queue.defineJob(
    'error-tracking.clear',
    ({ payload, signal }) => clearProject(services, payload.projectId, signal),
    long,
  );
  queue.recurring('error-tracking.thin', { everyMs: 5 * minute }, ({ signal }) => thinEvents(services, signal), long);
  queue.recurring('error-tracking.purge', { minute: 23 }, ({ signal }) => purge(services, signal), long);
}
