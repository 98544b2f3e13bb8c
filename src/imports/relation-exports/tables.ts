import type { Generated, Insertable, Selectable } from 'kysely';

/** The latest export of a relation of a project or group. */
export interface RelationExportsTable {
  id: Generated<number>;
  /** Exactly one of the two is set. */
  project_id: number | null;
  namespace_id: number | null;
  relation: string;
  status: RelationExportStatus;
  /** Whether the export is split into batches. */
  batched: 0 | 1;
  error: string | null;
  objects_count: Generated<number>;
  /** Time of the request. Runs for earlier requests save no files. */
  asked_at: number;
  updated_at: number;
}

export type RelationExportStatus = 'started' | 'finished' | 'failed';
export type RelationExportRow = Selectable<RelationExportsTable>;

export interface RelationExportFilesTable {
  id: Generated<number>;
  export_id: number;
  /** Starts at 1; 0 for an unbatched file. */
  batch_number: number;
  objects_count: number;
  storage_key: string;
  filename: string;
  updated_at: number;
}

export type RelationFileRow = Selectable<RelationExportFilesTable>;
export type NewRelationFile = Insertable<RelationExportFilesTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    relation_exports: RelationExportsTable;
    relation_export_files: RelationExportFilesTable;
  }
}
