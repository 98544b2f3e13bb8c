import type { Generated, Insertable, Selectable, Updateable } from 'kysely';

/** A schedule that starts pipelines at given times. */
export interface PipelineSchedulesTable {
  id: Generated<number>;
  project_id: number;
  owner_id: number | null;
  description: string;
  /** Full name, e.g. `refs/heads/main`. */
  ref: string;
  cron: string;
  cron_timezone: string;
  active: number;
  /** Null if the schedule never runs again. */
  next_run_at: number | null;
  /** JSON: `[{name, value}]`. */
  inputs: Generated<string>;
  created_at: number;
  updated_at: number;
}

export interface PipelineScheduleVariablesTable {
  schedule_id: number;
  key: string;
  /** Encrypted. */
  value: string;
  variable_type: 'env_var' | 'file';
}

export type ScheduleRow = Selectable<PipelineSchedulesTable>;
export type NewScheduleRow = Insertable<PipelineSchedulesTable>;
export type ScheduleChange = Updateable<PipelineSchedulesTable>;
export type ScheduleVariableRow = Selectable<PipelineScheduleVariablesTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    pipeline_schedules: PipelineSchedulesTable;
    pipeline_schedule_variables: PipelineScheduleVariablesTable;
  }
}
