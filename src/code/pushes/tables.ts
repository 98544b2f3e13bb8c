import type { Generated, Selectable } from 'kysely';
import type { Protocol } from './push.ts';

/**
 * One row per push, inserted before its refs are updated. `pending`: outcome unknown; `done`: refs updated and events
 * created; `dropped`: refs not updated.
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
