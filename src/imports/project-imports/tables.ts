import type { Generated, Selectable } from 'kysely';

/** State of a project import. */
export interface ProjectImportsTable {
  project_id: number;
  import_type: string;
  import_source: string;
  /** The requesting user. */
  user_id: number;
  /** Credentials and options; null once the import has ended. */
  encrypted_data: string | null;
  /** Last completed stage. */
  stage: Generated<string>;
  /** JSON: positions of the collections of the current stage. */
  cursors: Generated<string>;
  /** Number of consecutive failures without progress. */
  failures: Generated<number>;
  /** JSON: number of fetched and imported objects; set once the import has ended. */
  stats: string | null;
  correlation_id: string;
  created_at: number;
  progress_at: number;
}

/** A record that could not be imported. */
export interface ImportFailuresTable {
  id: Generated<number>;
  project_id: number;
  relation_name: string;
  source: string;
  exception_class: string;
  exception_message: string;
  created_at: number;
}

/** Objects processed by a running import, so that none is imported twice. */
export interface ImportedObjectsTable {
  project_id: number;
  kind: string;
  source_id: string;
  target_id: number | null;
  done: number;
}

export type ProjectImportRow = Selectable<ProjectImportsTable>;
export type ImportFailureRow = Selectable<ImportFailuresTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    project_imports: ProjectImportsTable;
    import_failures: ImportFailuresTable;
    imported_objects: ImportedObjectsTable;
  }
}
