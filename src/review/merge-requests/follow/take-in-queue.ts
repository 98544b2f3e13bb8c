import type { Services } from '../../../access/services.ts';
import type { Writer } from '../../../platform/database/database.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    /** The branches of a merge request have moved. */
    'merge-requests.take-in': { id: number };
  }
}

/** Has a merge request take in where its branches are. */
export function enqueueTakeIn(
  { queue }: Services,
  trx: Writer,
  id: number,
  priority = 0,
  runAt = Date.now(),
): Promise<number> {
  return queue.enqueue(trx, 'merge-requests.take-in', { id }, { dedupeKey: `${id}`, priority, runAt });
}
