import type { Generated, Selectable } from 'kysely';
import type { Protocol } from './push.ts';

/**
 * One row a push, written before its refs may move. `pending`: they may or may not have moved; `done`: they have, and
 * the event is written; `dropped`: they were found not to have moved.
 */
export interface PushesTable {
  id: Generated<number>;
  project_id: number;
  user_id: number | null;
  deploy_key_id: number | null;
  protocol: Protocol;
  state: 'pending' | 'done' | 'dropped';
  /** JSON: `[{ref, old, new}]`. */
  changes: string;
  push_options: string;
  created_at: number;
}

export type PushRow = Selectable<PushesTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    pushes: PushesTable;
  }
}
