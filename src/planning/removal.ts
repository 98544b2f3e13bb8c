import type { Writer } from '../platform/database/database.ts';
import { awards } from './award-emoji/public.ts';
import { deleteNotesOf } from './notes/public.ts';
import { deleteRecordsOf } from './resource-events/public.ts';
import { deleteSubscriptionsTo } from './subscriptions/public.ts';
import type { TargetType } from './target.ts';
import { deleteTimelogs } from './time-tracking/public.ts';
import { deleteTodosOf } from './todos/public.ts';

/** Deletes everything attached to targets that are being deleted and are locked for it, because no foreign key does. */
export async function deleteTargetDependents(trx: Writer, type: TargetType, ids: readonly number[]): Promise<void> {
  await awards.deleteAwardsOf(trx, type, ids);
  await deleteNotesOf(trx, type, ids);
  await deleteTodosOf(trx, type, ids);
  await deleteSubscriptionsTo(trx, type, ids);
  await deleteTimelogs(trx, type, ids);
  await deleteRecordsOf(trx, type, ids);
}
