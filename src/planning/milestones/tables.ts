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
