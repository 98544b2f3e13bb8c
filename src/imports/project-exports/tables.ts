import type { Selectable } from 'kysely';

/** The last file that was made of a project. */
export interface ProjectExportsTable {
  project_id: number;
  status: ExportStatus;
  /** What was asked for, encrypted: the address to send it to may be a secret. */
  options: string;
  /** Where the file lies; null while there is none, or none any more. */
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
