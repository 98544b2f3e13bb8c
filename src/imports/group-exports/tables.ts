import type { Selectable } from 'kysely';

/** The latest export of a group. */
export interface GroupExportsTable {
  namespace_id: number;
  status: 'queued' | 'started' | 'finished' | 'failed';
  /** Storage key; null if there is no file. */
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
