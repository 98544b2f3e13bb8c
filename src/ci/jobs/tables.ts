import type { Generated, Selectable } from 'kysely';

/** A job of a pipeline, or a bridge: a job that triggers another pipeline. */
export interface CiJobsTable {
  id: Generated<number>;
  project_id: number;
  pipeline_id: number;
  kind: Generated<'build' | 'bridge'>;
  name: string;
  stage: string;
  stage_index: number;
  status: string;
  failure_reason: Generated<string | null>;
  exit_code: Generated<number | null>;
  ref: string;
  sha: string;
  tag: Generated<number>;
  protected: Generated<number>;
  /** `when` of the configuration; named differently because `when` is an SQL keyword. */
  starts: Generated<string>;
  allow_failure: Generated<number>;
  /** The compiled job as JSON: script, image, artifacts, cache and so on. */
  options: Generated<string>;
  /** Variables set when the job was played, as JSON with encrypted values. Configured ones are in `options`. */
  variables: Generated<string>;
  /** Values given for inputs of the job, as encrypted JSON. Their defaults are in `options`. */
  inputs: Generated<string | null>;
  /** JSON arrays; `needs` is null when the stage order applies. */
  tag_list: Generated<string>;
  needs: Generated<string | null>;
  /** Seconds. */
  timeout: Generated<number | null>;
  coverage: Generated<number | null>;
  /** Set when a later attempt of the job exists. */
  retried: Generated<number>;
  /** Set on an attempt that waits neither for manual action nor for its delay, because the job itself was retried. */
  starts_at_once: Generated<number>;
  user_id: number | null;
  erased_by_id: Generated<number | null>;
  runner_id: Generated<number | null>;
  runner_manager_id: Generated<number | null>;
  token_digest: Generated<string | null>;
  downstream_pipeline_id: Generated<number | null>;
  artifacts_expire_at: Generated<number | null>;
  trace_size: Generated<number>;
  /** CRC-32 of the log as sent by the runner. */
  trace_crc: Generated<number>;
  /** Number of times the log was discarded and requested again from the runner. */
  trace_restarts: Generated<number>;
  debug_trace: Generated<number>;
  created_at: number;
  updated_at: number;
  /** When a delayed job is due. */
  scheduled_at: Generated<number | null>;
  queued_at: Generated<number | null>;
  started_at: Generated<number | null>;
  finished_at: Generated<number | null>;
  erased_at: Generated<number | null>;
}

export type CiJobRow = Selectable<CiJobsTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    ci_jobs: CiJobsTable;
  }
}
