import type { Generated, Insertable, Selectable } from 'kysely';

export interface CommitCommentsTable {
  id: Generated<number>;
  project_id: number;
  sha: string;
  author_id: number;
  note: string;
  /** Set together: the line of the commit's diff that is spoken of. */
  path: string | null;
  line: number | null;
  line_type: 'new' | 'old' | null;
  created_at: number;
}

/** So far only what outside services report makes pipelines, of source `external`. */
export interface PipelinesTable {
  id: Generated<number>;
  project_id: number;
  iid: number;
  sha: string;
  ref: string;
  source: string;
  status: string;
  user_id: number | null;
  created_at: number;
  updated_at: number;
  started_at: number | null;
  finished_at: number | null;
}

export interface CommitStatusesTable {
  id: Generated<number>;
  project_id: number;
  pipeline_id: number;
  sha: string;
  ref: string;
  stage: string;
  name: string;
  status: string;
  target_url: string | null;
  description: string | null;
  coverage: number | null;
  user_id: number | null;
  allow_failure: Generated<number>;
  /** A later status of the same name in the same pipeline has taken its place. */
  retried: Generated<number>;
  created_at: number;
  started_at: number | null;
  finished_at: number | null;
}

export type CommitCommentRow = Selectable<CommitCommentsTable>;
export type NewCommitComment = Insertable<CommitCommentsTable>;
export type PipelineRow = Selectable<PipelinesTable>;
export type CommitStatusRow = Selectable<CommitStatusesTable>;
export type NewCommitStatus = Insertable<CommitStatusesTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    commit_comments: CommitCommentsTable;
    pipelines: PipelinesTable;
    commit_statuses: CommitStatusesTable;
  }
}
