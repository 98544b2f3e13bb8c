import type { Selectable } from 'kysely';

/** The latest export of a project. */
export interface ProjectExportsTable {
  project_id: number;
  status: ExportStatus;
  /** Encrypted options: the upload URL can be a secret. */
  options: string;
  /** Storage key; null if there is no file. */
  storage_key: string | null;
  size: number | null;
  filename: string | null;
  error: string | null;
  asked_at: number;
  finished_at: number | null;
}

export type ExportStatus = 'queued' | 'started' | 'finished' | 'failed';
export type ProjectExportRow = Selectable<ProjectExportsTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    project_exports: ProjectExportsTable;
  }
}
