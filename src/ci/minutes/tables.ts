import type { Generated } from 'kysely';

/**
 * Usage of instance runners per root namespace and month. Each job inserts a row, so that jobs ending concurrently do
 * not wait for a lock; a recurring job merges the rows.
 */
export interface RunnerMinutesTable {
  id: Generated<number>;
  namespace_id: number;
  /** Start of the month. */
  month: number;
  seconds: number;
  /** 1 once the month is over and its excess was deducted from the extra minutes. */
  settled: Generated<number>;
}

declare module '../../platform/database/tables.ts' {
  interface Tables {
    runner_minutes: RunnerMinutesTable;
  }
}
