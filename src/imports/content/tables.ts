import type { Generated, Selectable } from 'kysely';

/** A user of a source host and the account that owns their imported contributions. */
export interface ImportSourceUsersTable {
  id: Generated<number>;
  /** Root group of the imports. */
  namespace_id: number;
  import_type: string;
  source_hostname: string;
  source_user_id: string;
  source_username: string;
  source_name: string;
  user_id: number;
  created_at: number;
  status: Generated<ReassignmentStatus>;
  /** User asked to accept the reassignment. */
  reassign_to_id: number | null;
}

/** State of the reassignment of a placeholder to a real user. */
export type ReassignmentStatus =
  | 'pending_reassignment'
  | 'awaiting_approval'
  | 'rejected'
  | 'reassignment_in_progress'
  | 'completed';
export type ImportSourceUserRow = Selectable<ImportSourceUsersTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    import_source_users: ImportSourceUsersTable;
  }
}
