import type { Generated, Selectable } from 'kysely';

/** The import of a project: what it needs to go on. */
export interface ProjectImportsTable {
  project_id: number;
  import_type: string;
  import_source: string;
  /** Who asked for it. */
  user_id: number;
  /** Credentials and options; null once it has ended. */
  encrypted_data: string | null;
  /** The last stage that is done. */
  stage: Generated<string>;
  /** JSON: where each collection of the present stage goes on. */
  cursors: Generated<string>;
  /** How often in a row it failed without getting any further. */
  failures: Generated<number>;
  /** JSON: what was fetched and imported, once it has ended. */
  stats: string | null;
  correlation_id: string;
  created_at: number;
  progress_at: number;
}

/** Something that could not be brought along. */
export interface ImportFailuresTable {
  id: Generated<number>;
  project_id: number;
  relation_name: string;
  source: string;
  exception_class: string;
  exception_message: string;
  created_at: number;
}

/** What a running import has looked at: nothing is brought twice, whatever happens in between. */
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
