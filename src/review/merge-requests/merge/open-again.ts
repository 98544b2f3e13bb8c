import type { Services } from '../../../access/services.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { enqueueTakeIn } from '../follow/take-in-queue.ts';
import { closeWithoutSource } from '../follow/without-source.ts';
import { invalidated } from '../mergeability/status.ts';
import { updateRequest } from '../store.ts';
import type { MergeRequestRow } from '../tables.ts';
import { tipOf } from '../versions/collect.ts';

/**
 * Opens a merge request that a merge had taken, and has it looked at: whoever moved its branches meanwhile left it out.
 * Where its source was deleted meanwhile, it is closed, as it would have been. The branch is looked at once the row is
 * locked: who deletes it later finds the row open.
 */
export async function openAgain(
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
  await enqueueTakeIn(services, trx, locked.id);
}
