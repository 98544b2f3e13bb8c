import type { Services } from '../../../access/services.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { requestsToBeMerged } from '../store.ts';
import type { MergeRequestRow } from '../tables.ts';

/** `awaited` is the head whose pipeline was missing when it was looked at before, `since` when the merge was asked for. */
export interface AutoMergeJob {
  readonly id: number;
  readonly awaited?: string;
  readonly since?: number;
}

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    /** Something that a merge request waited for may have come. */
    'merge-requests.auto-merge': AutoMergeJob;
  }
}

/** Has a merge request that is to be merged by itself looked at, now and when its time comes. */
export async function enqueueAutoMerge(
  { queue }: Services,
  trx: Writer,
  request: Pick<MergeRequestRow, 'id' | 'auto_merge' | 'merge_after'>,
): Promise<void> {
  if (request.auto_merge !== 1) return;
  const { id, merge_after: after } = request;
  await queue.enqueue(trx, 'merge-requests.auto-merge', { id }, { dedupeKey: `${id}` });
  if (after === null || after <= Date.now()) return;
  await queue.enqueue(trx, 'merge-requests.auto-merge', { id }, { dedupeKey: `${id} at ${after}`, runAt: after });
}

/** The same for all of a project that wait, where what they wait for may be asked for no longer. */
export async function enqueueWaiting(services: Services, trx: Writer, projectId: number): Promise<void> {
  for (const request of await requestsToBeMerged(trx, projectId)) await enqueueAutoMerge(services, trx, request);
}

/** So long somebody has to start a pipeline that does not come by itself. */
const pipelineGraceMs = 10 * 60_000;

/** Has one without a pipeline looked at again, for the last time; one that is asked for anew has the time anew. */
export async function enqueueLastLook(
  { queue }: Services,
  trx: Writer,
  { id, head_sha }: Pick<MergeRequestRow, 'id' | 'head_sha'>,
  since: number,
): Promise<void> {
  if (head_sha === null) return;
  const when = { dedupeKey: `${id} without ${head_sha} since ${since}`, runAt: Date.now() + pipelineGraceMs };
  await queue.enqueue(trx, 'merge-requests.auto-merge', { id, awaited: head_sha, since }, when);
}
