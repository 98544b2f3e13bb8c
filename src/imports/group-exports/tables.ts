import type { Selectable } from 'kysely';

/** The last file that was made of a group. */
export interface GroupExportsTable {
  namespace_id: number;
  status: 'queued' | 'started' | 'finished' | 'failed';
  /** Where the file lies; null while there is none, or none any more. */
  storage_key: string | null;
  size: number | null;
  filename: string | null;
  error: string | null;
  asked_at: number;
  finished_at: number | null;
}

export type GroupExportRow = Selectable<GroupExportsTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    group_exports: GroupExportsTable;
  }
}
