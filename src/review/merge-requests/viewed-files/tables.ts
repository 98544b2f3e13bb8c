import type { Generated, Selectable } from 'kysely';

/** Files viewed by a user, identified by a digest of their changes: a changed file counts as not viewed. */
export interface ViewedFilesTable {
  id: Generated<number>;
  user_id: number;
  merge_request_id: number;
  version: string;
  viewed_at: number;
}

export type ViewedFileRow = Selectable<ViewedFilesTable>;

declare module '../../../platform/database/tables.ts' {
  interface Tables {
    viewed_files: ViewedFilesTable;
  }
}
