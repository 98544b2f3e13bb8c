import type { Generated, Selectable } from 'kysely';

/** The import of one relation of an archive into a project. */
export interface RelationImportsTable {
  id: Generated<number>;
  project_id: number;
  /** The requesting user. */
  user_id: number;
  relation: ImportedRelation;
  status: Generated<'created' | 'started' | 'finished' | 'failed' | 'stale'>;
  /** Storage key of the archive; null once the import has ended. */
  storage_key: string | null;
  /** JSON: progress of the import. */
  cursors: Generated<string>;
  /** Number of consecutive failures without progress. */
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
