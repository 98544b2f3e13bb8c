import type { Generated, Selectable } from 'kysely';

export interface AwardEmojiTable {
  id: Generated<number>;
  /** Without colons; aliases are stored under the primary name. */
  name: string;
  user_id: number;
  awardable_type: string;
  awardable_id: number;
  project_id: number | null;
  namespace_id: number | null;
  created_at: number;
  updated_at: number;
}

export type AwardRow = Selectable<AwardEmojiTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    award_emoji: AwardEmojiTable;
  }
}
