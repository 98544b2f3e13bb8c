import type { Generated, Selectable } from 'kysely';

/** A recurring period without deployments: from each run of one cron schedule to the next run of another. */
export interface FreezePeriodsTable {
  id: Generated<number>;
  project_id: number;
  /** Cron expressions. */
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
