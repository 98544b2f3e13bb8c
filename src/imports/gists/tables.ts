import type { Selectable } from 'kysely';

/** The import of somebody's gists: one at a time. */
export interface GistImportsTable {
  user_id: number;
  /** The token of the other host; null once it has ended. */
  encrypted_data: string | null;
  /** Where it goes on: how many of a page are done, and the address of the page. */
  cursor: string | null;
  /** JSON: which could not be imported, and why. */
  failed: string;
  started_at: number;
}

export type GistImportRow = Selectable<GistImportsTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    gist_imports: GistImportsTable;
  }
}
