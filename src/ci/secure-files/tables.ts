import type { Generated, Selectable } from 'kysely';

/** A small file that jobs need and nobody else may read. */
export interface SecureFilesTable {
  id: Generated<number>;
  project_id: number;
  name: string;
  /** SHA-256, in hex. */
  checksum: string;
  /** Base64, encrypted: five megabytes at most, and gone with the row. */
  content: string;
  created_at: number;
}

export type SecureFileRow = Omit<Selectable<SecureFilesTable>, 'content'>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    secure_files: SecureFilesTable;
  }
}
