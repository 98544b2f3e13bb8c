import type { Services } from '../access/services.ts';
import type { Writer } from '../platform/database/database.ts';
import type { DomainEvents } from '../platform/domain-events.ts';
import { type Labelled, labelTransfer } from './labels/public.ts';
import { milestoneTransfer } from './milestones/public.ts';

/**
 * Event handler that keeps labels and milestones of issues or merge requests when their project is transferred, alone
 * or with its group.
 */
export function labelAndMilestoneTransfer(labelled: Labelled) {
  const [followLabels, followMilestones] = [labelTransfer(labelled), milestoneTransfer(labelled.table)];
  return async (services: Services, trx: Writer, change: DomainEvents['project.uprooted']): Promise<void> => {
    await followLabels(services, trx, change);
    await followMilestones(services, trx, change);
  };
}
