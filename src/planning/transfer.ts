import type { Services } from '../access/services.ts';
import type { Writer } from '../platform/database/database.ts';
import type { DomainEvents } from '../platform/domain-events.ts';
import { type Labelled, labelTransfer } from './labels/public.ts';
import { milestoneTransfer } from './milestones/public.ts';

/** What issues, or merge requests, of a project do when it moves or its group does: they keep labels and milestones. */
export function placeFollower(labelled: Labelled) {
  const [followLabels, followMilestones] = [labelTransfer(labelled), milestoneTransfer(labelled.table)];
  return async (services: Services, trx: Writer, change: DomainEvents['project.uprooted']): Promise<void> => {
    await followLabels(services, trx, change);
    await followMilestones(services, trx, change);
  };
}
