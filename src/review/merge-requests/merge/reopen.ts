import type { Services } from '../../../access/services.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { closeWithoutSource } from '../follow/close.ts';
import { enqueueRefresh } from '../follow/refresh-queue.ts';
import { invalidated } from '../mergeability/status.ts';
import { updateRequest } from '../store.ts';
import type { MergeRequestRow } from '../tables.ts';
import { tipOf } from '../versions/collect.ts';

/**
 * Reopens a merge request after an aborted merge and enqueues its processing, because pushes during the merge have
 * skipped it. If its source branch was deleted meanwhile, it is closed. The branch is checked after the row is locked:
 * a later deletion finds the row open and closes it itself.
 */
export async function reopenRequest(
  services: Services,
  trx: Writer,
  locked: MergeRequestRow,
  change: Partial<Omit<MergeRequestRow, 'id'>> = {},
): Promise<void> {
  const merge_status = invalidated(locked.merge_status);
  const opened = await updateRequest(trx, locked.id, { ...change, state: 'opened', merge_status });
  if ((await tipOf(services, locked.source_project_id, locked.source_branch)) === null) {
    return closeWithoutSource(services, trx, opened, locked.source_pushed_by_id ?? locked.author_id);
  }
  await enqueueRefresh(services, trx, locked.id);
}
