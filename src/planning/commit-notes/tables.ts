import type { Generated } from 'kysely';

/** Commits that people spoke of, numbered as everything else is that has notes and to-dos. */
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
