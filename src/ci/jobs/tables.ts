import type { Generated, Selectable } from 'kysely';

/** A job of a pipeline, or a bridge: a job that starts another pipeline. */
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
  /** `when` of the configuration, which SQL keeps for itself. */
  starts: Generated<string>;
  allow_failure: Generated<number>;
  /** The planned job as the compiler made it, as JSON: script, image, artifacts, cache and so on. */
  options: Generated<string>;
  /** What was set for it when it was played, as JSON with encrypted values; its planned ones are in `options`. */
  variables: Generated<string>;
  /** JSON arrays; `needs` is null where the order of stages decides. */
  tag_list: Generated<string>;
  needs: Generated<string | null>;
  /** Seconds. */
  timeout: Generated<number | null>;
  coverage: Generated<number | null>;
  /** A later job of the same name in the pipeline has taken its place. */
  retried: Generated<number>;
  user_id: number | null;
  erased_by_id: Generated<number | null>;
  runner_id: Generated<number | null>;
  runner_manager_id: Generated<number | null>;
  token_digest: Generated<string | null>;
  downstream_pipeline_id: Generated<number | null>;
  artifacts_expire_at: Generated<number | null>;
  trace_size: Generated<number>;
  /** The CRC-32 of the log as its runner has sent it. */
  trace_crc: Generated<number>;
  /** How often the log was thrown away, for its runner to send it anew. */
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
