import type { Generated, Insertable, Selectable } from 'kysely';

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
  /** Set when a later status of the same name in the same pipeline replaces this one. */
  retried: Generated<number>;
  created_at: number;
  started_at: number | null;
  finished_at: number | null;
}

export type CommitStatusRow = Selectable<CommitStatusesTable>;
export type NewCommitStatus = Insertable<CommitStatusesTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    commit_statuses: CommitStatusesTable;
  }
}
