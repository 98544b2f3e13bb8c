import type { Generated, Selectable } from 'kysely';

/** State of a group import from an archive. */
export interface GroupImportsTable {
  /** The root group created by the import. */
  namespace_id: number;
  /** The user who requested the import. */
  user_id: number;
  status: Generated<'created' | 'started' | 'finished' | 'failed'>;
  /** Storage key of the archive; null once the import has ended. */
  storage_key: string | null;
  error: Generated<string | null>;
  /** Index of the current group in the archive. */
  position: Generated<number>;
  /** Last completed stage of the current group. */
  stage: Generated<string>;
  /** JSON: progress of the current stage. */
  cursors: Generated<string>;
  /** Number of consecutive failures without progress. */
  failures: Generated<number>;
  created_at: number;
  progress_at: number;
}

/** Groups created from an archive while it is being imported. */
export interface ImportedGroupsTable {
  import_id: number;
  /** ID in the archive. */
  source_id: number;
  namespace_id: number;
}

/** A record that could not be imported. */
export interface GroupImportFailuresTable {
  id: Generated<number>;
  import_id: number;
  relation_name: string;
  source: string;
  exception_class: string;
  exception_message: string;
  created_at: number;
}

export type GroupImportRow = Selectable<GroupImportsTable>;
export type GroupImportFailureRow = Selectable<GroupImportFailuresTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    group_imports: GroupImportsTable;
    imported_groups: ImportedGroupsTable;
    group_import_failures: GroupImportFailuresTable;
  }
}
