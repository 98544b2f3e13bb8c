import type { Selectable } from 'kysely';

/** Somebody who must not be a member of a top-level group, nor of anything in it. */
export interface NamespaceBansTable {
  namespace_id: number;
  user_id: number;
  /** The roles that they had, to be given back: JSON. */
  memberships: string;
  created_at: number;
}

export type BanRow = Selectable<NamespaceBansTable>;

declare module '../../../platform/database/tables.ts' {
  interface Tables {
    namespace_bans: NamespaceBansTable;
  }
}
