import type { Generated, Selectable } from 'kysely';

/** A file that somebody has looked at, in one version: when it changes it has another, which nobody has seen. */
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
