import type { Generated, Selectable } from 'kysely';

export interface TimelogsTable {
  id: Generated<number>;
  target_type: string;
  target_id: number;
  project_id: number;
  user_id: number;
  /** Negative for subtracted time. */
  seconds: number;
  summary: string | null;
  spent_at: number;
  created_at: number;
}

export type TimelogRow = Selectable<TimelogsTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    timelogs: TimelogsTable;
  }
}
