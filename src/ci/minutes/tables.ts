import type { Generated } from 'kysely';

/**
 * For how long jobs of a group at the top, or of a user's namespace, were on runners of the instance in a month. Each job
 * adds a row, so that two that end at once wait for nobody; now and then the rows of a month become one.
 */
export interface RunnerMinutesTable {
  id: Generated<number>;
  namespace_id: number;
  /** The first instant of the month. */
  month: number;
  seconds: number;
  /** 1 once the month is over and what was beyond its minutes is taken off the extra ones. */
  settled: Generated<number>;
}

declare module '../../platform/database/tables.ts' {
  interface Tables {
    runner_minutes: RunnerMinutesTable;
  }
}
