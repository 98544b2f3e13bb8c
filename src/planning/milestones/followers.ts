import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { MilestoneRow } from './tables.ts';

interface Copies {
  /** Updates the denormalized due date on all items of a milestone. */
  readonly copyDue: (trx: Writer, milestoneId: number, due: MilestoneRow['due_date']) => Promise<void>;
  /** Moves all items of these milestones to another one, or to none. */
  readonly replace: (trx: Writer, milestoneIds: readonly number[], into: MilestoneRow | null) => Promise<void>;
}

/** Event handlers of an area whose items have milestones and denormalize their due date. */
export function milestoneEventHandlers({ copyDue, replace }: Copies) {
  return {
    async changed(
      _services: Services,
      trx: Writer,
      { before, milestone }: { readonly before?: MilestoneRow; readonly milestone: MilestoneRow },
    ): Promise<void> {
      if (!before || before.due_date === milestone.due_date) return;
      await copyDue(trx, milestone.id, milestone.due_date);
    },
    removed(_services: Services, trx: Writer, { milestone }: { readonly milestone: MilestoneRow }): Promise<void> {
      return replace(trx, [milestone.id], null);
    },
    merged(
      _services: Services,
      trx: Writer,
      { milestoneIds, into }: { readonly milestoneIds: readonly number[]; readonly into: MilestoneRow },
    ): Promise<void> {
      return replace(trx, milestoneIds, into);
    },
  };
}
