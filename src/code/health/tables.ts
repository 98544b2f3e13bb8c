import type { Selectable } from 'kysely';

/** The last health report of a repository. */
export interface RepositoryHealthTable {
  project_id: number;
  /** JSON of the platform's report. */
  report: string;
  updated_at: number;
}

export type RepositoryHealthRow = Selectable<RepositoryHealthTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    repository_health: RepositoryHealthTable;
  }
}
