import type { Services } from '../../../access/services.ts';
import type { Writer } from '../../../platform/database/database.ts';
import type { MergeRequestRow } from '../tables.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    /** Something that a merge request waited for may have come. */
    'merge-requests.auto-merge': { id: number };
  }
}

/** Has a merge request that is to be merged by itself looked at, now and when its time comes. */
export async function enqueueAutoMerge(
  { queue }: Services,
  trx: Writer,
  request: Pick<MergeRequestRow, 'id' | 'auto_merge' | 'merge_after'>,
): Promise<void> {
  if (request.auto_merge === 0) return;
  const { id, merge_after: after } = request;
  await queue.enqueue(trx, 'merge-requests.auto-merge', { id }, { dedupeKey: `${id}` });
  if (after === null || after <= Date.now()) return;
  await queue.enqueue(trx, 'merge-requests.auto-merge', { id }, { dedupeKey: `${id} at ${after}`, runAt: after });
}
