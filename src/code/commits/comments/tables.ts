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

export type CommitCommentRow = Selectable<CommitCommentsTable>;
export type NewCommitComment = Insertable<CommitCommentsTable>;

declare module '../../../platform/database/tables.ts' {
  interface Tables {
    commit_comments: CommitCommentsTable;
  }
}
