import type { Services } from '../../../access/services.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { autoMergeRequests } from '../store.ts';
import type { MergeRequestRow } from '../tables.ts';

/**
 * `awaited` is the head that had no pipeline at the previous check, `since` the time at which auto-merge was enabled.
 */
export interface AutoMergeJob {
  readonly id: number;
  readonly awaited?: string;
  readonly since?: number;
}

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    /** A condition that auto-merge waits for may have been met. */
    'merge-requests.auto-merge': AutoMergeJob;
  }
}

/** Enqueues an auto-merge check now and, if the merge is scheduled, at its time. */
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

/** Enqueues auto-merge checks for all merge requests of a project after a requirement may have been relaxed. */
export async function enqueueAutoMerges(services: Services, trx: Writer, projectId: number): Promise<void> {
  for (const request of await autoMergeRequests(trx, projectId)) await enqueueAutoMerge(services, trx, request);
}

/** Time after which auto-merge stops waiting for a pipeline that does not start automatically. */
const pipelineGraceMs = 10 * 60_000;

/** Enqueues the final check of a merge request without a pipeline; enabling auto-merge again restarts the period. */
export async function enqueueFinalCheck(
  { queue }: Services,
  trx: Writer,
  { id, head_sha }: Pick<MergeRequestRow, 'id' | 'head_sha'>,
  since: number,
): Promise<void> {
  if (head_sha === null) return;
  const when = { dedupeKey: `${id} without ${head_sha} since ${since}`, runAt: Date.now() + pipelineGraceMs };
  await queue.enqueue(trx, 'merge-requests.auto-merge', { id, awaited: head_sha, since }, when);
}
