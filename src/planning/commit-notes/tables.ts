import type { Generated } from 'kysely';

/** Commits with notes, with an ID like other targets of notes and to-do items. */
export interface NotedCommitsTable {
  id: Generated<number>;
  project_id: number;
  sha: string;
}

declare module '../../platform/database/tables.ts' {
  interface Tables {
    noted_commits: NotedCommitsTable;
  }
}
