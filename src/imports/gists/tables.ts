import type { Selectable } from 'kysely';

/** The gist import of a user; one at a time. */
export interface GistImportsTable {
  user_id: number;
  /** Token of the source host; null once the import has ended. */
  encrypted_data: string | null;
  /** Progress: number of processed gists of a page, and the URL of the page. */
  cursor: string | null;
  /** JSON: gists that could not be imported, with reasons. */
  failed: string;
  started_at: number;
}

export type GistImportRow = Selectable<GistImportsTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    gist_imports: GistImportsTable;
  }
}
