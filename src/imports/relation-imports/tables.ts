import type { Generated, Selectable } from 'kysely';

/** One relation of a file on its way into a project. */
export interface RelationImportsTable {
  id: Generated<number>;
  project_id: number;
  /** Who asked for it. */
  user_id: number;
  relation: ImportedRelation;
  status: Generated<'created' | 'started' | 'finished' | 'failed' | 'stale'>;
  /** Where the file lies; null once it is over. */
  storage_key: string | null;
  /** JSON: where it goes on. */
  cursors: Generated<string>;
  /** How often in a row it failed without getting any further. */
  failures: Generated<number>;
  created_at: number;
  updated_at: number;
}

export const importedRelations = ['issues', 'merge_requests', 'ci_pipelines', 'milestones'] as const;
export type ImportedRelation = (typeof importedRelations)[number];

export type RelationImportRow = Selectable<RelationImportsTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    relation_imports: RelationImportsTable;
  }
}
