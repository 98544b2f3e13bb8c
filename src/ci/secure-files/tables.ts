import type { Generated, Selectable } from 'kysely';

/** A small confidential file for use in jobs. */
export interface SecureFilesTable {
  id: Generated<number>;
  project_id: number;
  name: string;
  /** SHA-256, in hex. */
  checksum: string;
  /** Base64, encrypted. At most 5 MB; stored in the row so that it is deleted with it. */
  content: string;
  created_at: number;
}

export type SecureFileRow = Omit<Selectable<SecureFilesTable>, 'content'>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    secure_files: SecureFilesTable;
  }
}
