import type { Generated, Selectable } from 'kysely';

/** An LFS object, stored once regardless of the number of projects that reference it. */
export interface LfsObjectsTable {
  id: Generated<number>;
  /** SHA-256, hexadecimal. */
  oid: string;
  size: number;
  created_at: number;
}

export interface LfsObjectProjectsTable {
  lfs_object_id: number;
  project_id: number;
  created_at: number;
}

export interface LfsLocksTable {
  id: Generated<number>;
  project_id: number;
  user_id: number;
  path: string;
  created_at: number;
}

export type LfsObjectRow = Selectable<LfsObjectsTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    lfs_objects: LfsObjectsTable;
    lfs_object_projects: LfsObjectProjectsTable;
    lfs_locks: LfsLocksTable;
  }
}
