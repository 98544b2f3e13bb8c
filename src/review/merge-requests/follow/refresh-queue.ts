import type { Services } from '../../../access/services.ts';
import type { Writer } from '../../../platform/database/database.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    /** The branches of a merge request have moved. */
    'merge-requests.take-in': { id: number };
  }
}

/** Enqueues an update of a merge request to the current state of its branches. */
export function enqueueRefresh(
  { queue }: Services,
  trx: Writer,
  id: number,
  priority = 0,
  runAt = Date.now(),
): Promise<number> {
  return queue.enqueue(trx, 'merge-requests.take-in', { id }, { dedupeKey: `${id}`, priority, runAt });
}
