import type { Generated } from 'kysely';

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
}

declare module '../../platform/database/tables.ts' {
  interface Tables {
    import_source_users: ImportSourceUsersTable;
  }
}
