import type { Selectable } from 'kysely';

/** The last report on how a repository is kept. */
export interface RepositoryHealthTable {
  project_id: number;
  /** JSON: the report of the platform. */
  report: string;
  updated_at: number;
}

export type RepositoryHealthRow = Selectable<RepositoryHealthTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    repository_health: RepositoryHealthTable;
  }
}
