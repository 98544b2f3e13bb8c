import type { Generated, Selectable } from 'kysely';

/** What outside services report makes pipelines of source `external`; everything else comes from a configuration. */
export interface PipelinesTable {
  id: Generated<number>;
  project_id: number;
  iid: number;
  sha: string;
  /** A branch or tag; `refs/merge-requests/1/head` for merge requests, `…/merge` or `…/train` for what merging makes. */
  ref: string;
  tag: Generated<number>;
  before_sha: Generated<string>;
  source: string;
  status: string;
  name: Generated<string | null>;
  yaml_errors: Generated<string | null>;
  failure_reason: Generated<string | null>;
  protected: Generated<number>;
  /** Its artifacts stay though they have expired: it is the latest of its ref. */
  locked: Generated<number>;
  auto_cancel: Generated<string | null>;
  coverage: Generated<number | null>;
  /** Seconds. */
  duration: Generated<number | null>;
  queued_duration: Generated<number | null>;
  user_id: number | null;
  merge_request_id: Generated<number | null>;
  /** The branch that is to be merged, where it is of a merge request. */
  source_branch: Generated<string | null>;
  /** The tips of the branches, where it runs on what merging them makes. */
  source_sha: Generated<string | null>;
  target_sha: Generated<string | null>;
  schedule_id: Generated<number | null>;
  trigger_id: Generated<number | null>;
  /** The pipeline, and the job in it, that started this one. */
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
