import type { Generated, Selectable } from 'kysely';

/** The import of a group from a file: what it needs to go on. */
export interface GroupImportsTable {
  /** The group that the first one of the file becomes. */
  namespace_id: number;
  /** Who asked for it. */
  user_id: number;
  status: Generated<'created' | 'started' | 'finished' | 'failed'>;
  /** Where the file lies; null once it is over. */
  storage_key: string | null;
  error: Generated<string | null>;
  /** Which group of the file is being read, from 0 on. */
  position: Generated<number>;
  /** The last stage of it that is done. */
  stage: Generated<string>;
  /** JSON: where the present stage goes on. */
  cursors: Generated<string>;
  /** How often in a row it failed without getting any further. */
  failures: Generated<number>;
  created_at: number;
  progress_at: number;
}

/** What the groups of a file have become, while it is read. */
export interface ImportedGroupsTable {
  import_id: number;
  /** Its number in the file. */
  source_id: number;
  namespace_id: number;
}

/** Something that could not be brought along. */
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
