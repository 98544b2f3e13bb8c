import type { Generated, Selectable } from 'kysely';

export interface UploadsTable {
  id: Generated<number>;
  /** A row with neither project nor group is waiting for its file to be deleted. */
  project_id: number | null;
  namespace_id: Generated<number | null>;
  secret: string;
  filename: string;
  storage_key: string;
  content_type: string;
  size: number;
  uploaded_by_id: number | null;
  created_at: number;
}

export type UploadRow = Selectable<UploadsTable>;

declare module '../../../platform/database/tables.ts' {
  interface Tables {
    uploads: UploadsTable;
  }
}
