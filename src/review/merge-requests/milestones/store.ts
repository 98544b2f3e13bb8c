import type { Writer } from '../../../platform/database/database.ts';

/** Updates the milestone's due date, which merge requests denormalize. */
export async function copyMilestoneDue(trx: Writer, milestoneId: number, due: string | null): Promise<void> {
  const change = { milestone_due_date: due };
  await trx.updateTable('merge_requests').set(change).where('milestone_id', '=', milestoneId).execute();
}

/** Moves merge requests of these milestones to another milestone, or to none. */
export async function replaceMilestones(
  trx: Writer,
  ids: readonly number[],
  into: { readonly id: number; readonly due_date: string | null } | null,
): Promise<void> {
  if (ids.length === 0) return;
  const change = { milestone_id: into?.id ?? null, milestone_due_date: into?.due_date ?? null };
  await trx.updateTable('merge_requests').set(change).where('milestone_id', 'in', ids).execute();
}
