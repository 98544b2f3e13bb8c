import type { Generated, Selectable } from 'kysely';

/** Somebody on another host, and the account here that what they did there belongs to. */
export interface ImportSourceUsersTable {
  id: Generated<number>;
  /** The top-level group that the imports go into. */
  namespace_id: number;
  import_type: string;
  source_hostname: string;
  source_user_id: string;
  source_username: string;
  source_name: string;
  user_id: number;
  created_at: number;
  status: Generated<ReassignmentStatus>;
  /** Who is asked to be the author of what they did. */
  reassign_to_id: number | null;
}

/** How far somebody has come from a placeholder to a person of this server. */
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
