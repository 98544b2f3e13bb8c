import type { Generated, Selectable } from 'kysely';

/** Statuses of external services create pipelines of source `external`; all others come from a configuration. */
export interface PipelinesTable {
  id: Generated<number>;
  project_id: number;
  iid: number;
  sha: string;
  /** Branch or tag; `refs/merge-requests/1/head` for merge requests, `…/merge` or `…/train` for merged results. */
  ref: string;
  tag: Generated<number>;
  before_sha: Generated<string>;
  source: string;
  status: string;
  name: Generated<string | null>;
  yaml_errors: Generated<string | null>;
  failure_reason: Generated<string | null>;
  protected: Generated<number>;
  /** Set while the pipeline is the latest of its ref: its artifacts do not expire. */
  locked: Generated<number>;
  auto_cancel: Generated<string | null>;
  coverage: Generated<number | null>;
  /** Seconds. */
  duration: Generated<number | null>;
  queued_duration: Generated<number | null>;
  user_id: number | null;
  merge_request_id: Generated<number | null>;
  /** Source branch of the merge request, if any. */
  source_branch: Generated<string | null>;
  /** Tips of the merged branches, for merged results. */
  source_sha: Generated<string | null>;
  target_sha: Generated<string | null>;
  schedule_id: Generated<number | null>;
  trigger_id: Generated<number | null>;
  /** The parent pipeline and its trigger job. */
  parent_id: Generated<number | null>;
  parent_job_id: Generated<number | null>;
  created_at: number;
  updated_at: number;
  started_at: number | null;
  finished_at: number | null;
  committed_at: Generated<number | null>;
}

export interface PipelineVariablesTable {
  pipeline_id: number;
  key: string;
  /** Encrypted. */
  value: string;
  variable_type: Generated<'env_var' | 'file'>;
  raw: Generated<number>;
}

export type PipelineRow = Selectable<PipelinesTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    pipelines: PipelinesTable;
    pipeline_variables: PipelineVariablesTable;
  }
}
