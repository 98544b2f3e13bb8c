import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { MilestoneRow } from './tables.ts';

interface Copies {
  /** Copies the day on which a milestone is due to all that have it. */
  readonly copyDue: (trx: Writer, milestoneId: number, due: MilestoneRow['due_date']) => Promise<void>;
  /** Gives all that have some milestones another one, or none. */
  readonly replace: (trx: Writer, milestoneIds: readonly number[], into: MilestoneRow | null) => Promise<void>;
}

/** What an area listens with whose things have milestones, and keep a copy of the day on which theirs is due. */
export function milestoneFollower({ copyDue, replace }: Copies) {
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
