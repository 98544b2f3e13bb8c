import type { Selectable } from 'kysely';

/** A user banned from a top-level group hierarchy. */
export interface NamespaceBansTable {
  namespace_id: number;
  user_id: number;
  /** The roles removed by the ban, as JSON, for restoration. */
  memberships: string;
  created_at: number;
}

export type BanRow = Selectable<NamespaceBansTable>;

declare module '../../../platform/database/tables.ts' {
  interface Tables {
    namespace_bans: NamespaceBansTable;
  }
}
