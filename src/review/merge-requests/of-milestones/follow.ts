import type { Services } from '../../../access/services.ts';
import type { MilestoneRow } from '../../../planning/milestones/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { copyMilestoneDue, replaceMilestones } from './store.ts';

/** Merge requests keep a copy of the day on which their milestone is due. */
export async function followMilestone(
  _services: Services,
  trx: Writer,
  { before, milestone }: { readonly before?: MilestoneRow; readonly milestone: MilestoneRow },
): Promise<void> {
  if (!before || before.due_date === milestone.due_date) return;
  await copyMilestoneDue(trx, milestone.id, milestone.due_date);
}

export function leaveMilestone(
  _services: Services,
  trx: Writer,
  { milestone }: { readonly milestone: MilestoneRow },
): Promise<void> {
  return replaceMilestones(trx, [milestone.id], null);
}

export function mergeMilestones(
  _services: Services,
  trx: Writer,
  { milestoneIds, into }: { readonly milestoneIds: readonly number[]; readonly into: MilestoneRow },
): Promise<void> {
  return replaceMilestones(trx, milestoneIds, into);
}
