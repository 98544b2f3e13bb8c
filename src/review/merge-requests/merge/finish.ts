import type { Services } from '../../../access/services.ts';
import { recordState } from '../../../planning/resource-events/public.ts';
import { finishTodos } from '../../../planning/todos/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { recordActivity, requestTarget } from '../changes/records.ts';
import { stateOf } from '../service.ts';
import { updateRequest } from '../store.ts';
import type { MergeRequestRow } from '../tables.ts';
import { markOldFilesRemoved } from '../versions/store.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    /**
     * Follow-up work of a completed merge: its source branch, the issues it closes, and merge requests into its source
     * branch.
     */
    'merge-requests.merged': { id: number; userId: number; removeSource: boolean };
  }
}

/** Result of a merge. */
export interface MergeResult {
  readonly userId: number;
  readonly mergeCommit: string | null;
  readonly squashCommit: string | null;
  readonly removeSource: boolean;
  /** The previous tip of the target. */
  readonly onto?: string;
  /** Whether the merge train continues with its existing pipelines although they do not include this merge. */
  readonly trainGoesOn?: boolean;
}

/** Marks a merge request as merged, in the transaction that records the push of the merge. */
export async function markMerged(
  services: Services,
  trx: Writer,
  request: MergeRequestRow,
  { userId, mergeCommit, squashCommit, removeSource }: MergeResult,
): Promise<void> {
  const before = await stateOf(trx, request);
  const now = Date.now();
  const merged = await updateRequest(trx, request.id, {
    state: 'merged',
    merge_status: 'can_be_merged',
    unmergeable_reason: null,
    merged_at: now,
    merge_user_id: userId,
    merge_commit_sha: mergeCommit,
    squash_commit_sha: squashCommit,
    merge_error: null,
    auto_merge: 0,
    merge_params: null,
    landing: null,
    updated_at: now,
  });
  await markOldFilesRemoved(trx, request.id);
  await recordState(trx, { target: requestTarget(merged), userId }, 'merged');
  await recordActivity(trx, merged, userId, 'merged');
  await finishTodos(trx, userId, requestTarget(merged));
  await services.queue.enqueue(trx, 'merge-requests.merged', { id: request.id, userId, removeSource });
  const after = { ...before, request: merged };
  await services.announce(trx, 'merge-request.changed', { action: 'merge', actorId: userId, before, after });
}
