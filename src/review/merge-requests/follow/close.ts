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
export function closeWithoutSource(
  services: Services,
  trx: Writer,
  request: MergeRequestRow,
  userId: number,
): Promise<void> {
  const notes = [texts.sourceDeleted(request.source_branch)];
  return close(services, trx, request, userId, notes, 'source branch was deleted');
}

/** Closes a merge request whose source project has left the fork network, or is deleted. */
export function closeWithoutFork(
  services: Services,
  trx: Writer,
  request: MergeRequestRow,
  userId: number,
): Promise<void> {
  return close(services, trx, request, userId, [], 'merge request was closed');
}

async function close(
  services: Services,
  trx: Writer,
  request: MergeRequestRow,
  userId: number,
  notes: readonly string[],
  reason: string,
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
  await recordNotes(trx, closed, userId, [...notes, ...autoMergeAbortedNotes(request, reason)]);
  await recordState(trx, { target: requestTarget(closed), userId }, 'closed');
  await recordActivity(trx, closed, userId, 'closed');
  const after = { ...before, request: closed };
  await services.announce(trx, 'merge-request.changed', { action: 'close', actorId: userId, before, after });
}
