import type { Generated, Selectable } from 'kysely';

export interface MilestonesTable {
  id: Generated<number>;
  iid: number;
  project_id: number | null;
  namespace_id: number | null;
  title: string;
  description: string | null;
  state: Generated<'active' | 'closed'>;
  /** Date in the format YYYY-MM-DD. */
  start_date: string | null;
  due_date: string | null;
  created_at: number;
  updated_at: number;
}

export type MilestoneRow = Selectable<MilestonesTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    milestones: MilestonesTable;
  }
}

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    /** A milestone was created, updated, closed or reopened; `before` is absent for a new one. */
    'milestone.changed': {
      readonly action: 'create' | 'update' | 'close' | 'reopen';
      readonly actorId: number;
      readonly before?: MilestoneRow;
      readonly milestone: MilestoneRow;
    };
    /** A milestone is being deleted; items lose it. */
    'milestone.removed': { readonly actorId: number; readonly milestone: MilestoneRow };
    /** Several milestones are about to be merged: their items get the remaining one. */
    'milestone.merged': { readonly milestoneIds: readonly number[]; readonly into: MilestoneRow };
  }
}
