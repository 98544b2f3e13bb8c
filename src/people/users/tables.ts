import type { Generated, Selectable } from 'kysely';

export interface IdentitiesTable {
  id: Generated<number>;
  user_id: number;
  provider: string;
  extern_uid: string;
  created_at: number;
}

export interface UserStatusesTable {
  user_id: number;
  emoji: string | null;
  message: string | null;
  availability: Generated<'not_set' | 'busy'>;
  clear_at: number | null;
}

export interface FollowsTable {
  follower_id: number;
  followee_id: number;
  created_at: number;
}

export type StatusRow = Selectable<UserStatusesTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    identities: IdentitiesTable;
    user_statuses: UserStatusesTable;
    follows: FollowsTable;
  }
}
