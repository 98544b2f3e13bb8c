import type { Generated, Selectable } from 'kysely';

export interface MilestonesTable {
  id: Generated<number>;
  iid: number;
  project_id: number | null;
  namespace_id: number | null;
  title: string;
  description: string | null;
  state: Generated<'active' | 'closed'>;
  /** Days, as `2026-01-31`. */
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
    /** A milestone was made, changed, closed or opened again; `before` is absent for a new one. */
    'milestone.changed': {
      readonly action: 'create' | 'update' | 'close' | 'reopen';
      readonly actorId: number;
      readonly before?: MilestoneRow;
      readonly milestone: MilestoneRow;
    };
    /** A milestone goes: whatever has it loses it. */
    'milestone.removed': { readonly actorId: number; readonly milestone: MilestoneRow };
    /** Several milestones are about to become one: whatever has one of them has that one from now on. */
    'milestone.merged': { readonly milestoneIds: readonly number[]; readonly into: MilestoneRow };
  }
}
