import type { Generated, Insertable, Selectable } from 'kysely';

/** A relation of a project or group as files, the last time that somebody asked. */
export interface RelationExportsTable {
  id: Generated<number>;
  /** One of the two is null. */
  project_id: number | null;
  namespace_id: number | null;
  relation: string;
  status: RelationExportStatus;
  /** Whether in parts. */
  batched: 0 | 1;
  error: string | null;
  objects_count: Generated<number>;
  /** A run for an earlier request leaves no files. */
  asked_at: number;
  updated_at: number;
}

export type RelationExportStatus = 'started' | 'finished' | 'failed';
export type RelationExportRow = Selectable<RelationExportsTable>;

export interface RelationExportFilesTable {
  id: Generated<number>;
  export_id: number;
  /** From 1 on; 0 where there is but one file. */
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
