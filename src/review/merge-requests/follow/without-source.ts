import type { Services } from '../../../access/services.ts';
import { recordState } from '../../../planning/resource-events/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { recordActivity, recordNotes, requestTarget } from '../changes/records.ts';
import { autoMergeAbortedNotes, autoMergeResetColumns } from '../merge/without-auto-merge.ts';
import { stateOf } from '../service.ts';
import { updateRequest } from '../store.ts';
import * as texts from '../system-texts.ts';
import type { MergeRequestRow } from '../tables.ts';

/** Closes a merge request whose source branch was deleted. */
export async function closeWithoutSource(
  services: Services,
  trx: Writer,
  request: MergeRequestRow,
  userId: number,
): Promise<void> {
  const before = await stateOf(trx, request);
  const now = Date.now();
  const closed = await updateRequest(trx, request.id, {
    state: 'closed',
    closed_at: now,
    closed_by_id: userId,
    merge_error: null,
    ...autoMergeResetColumns(request),
    updated_at: now,
  });
  await recordNotes(trx, closed, userId, [
    texts.sourceDeleted(request.source_branch),
    ...autoMergeAbortedNotes(request, 'source branch was deleted'),
  ]);
  await recordState(trx, { target: requestTarget(closed), userId }, 'closed');
  await recordActivity(trx, closed, userId, 'closed');
  const after = { ...before, request: closed };
  await services.announce(trx, 'merge-request.changed', { action: 'close', actorId: userId, before, after });
}
