import type { Generated, Selectable } from 'kysely';

/** When a project is not to be deployed: from each time of one schedule to the next of another. */
export interface FreezePeriodsTable {
  id: Generated<number>;
  project_id: number;
  /** Both as in cron. */
  freeze_start: string;
  freeze_end: string;
  cron_timezone: string;
  created_at: number;
  updated_at: number;
}

export type FreezePeriodRow = Selectable<FreezePeriodsTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    freeze_periods: FreezePeriodsTable;
  }
}
