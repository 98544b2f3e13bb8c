import type { Generated, Selectable } from 'kysely';
import type { Audience, EventAction } from './event.ts';

export interface EventsTable {
  id: Generated<number>;
  project_id: number | null;
  namespace_id: number | null;
  author_id: number | null;
  action: EventAction;
  audience: Audience;
  target_type: string | null;
  target_id: number | null;
  target_iid: number | null;
  target_title: string | null;
  imported_from: Generated<string>;
  push_action: string | null;
  ref_type: string | null;
  ref: string | null;
  ref_count: number | null;
  commit_count: number | null;
  commit_from: string | null;
  commit_to: string | null;
  commit_title: string | null;
  created_at: number;
}

/** Projects in which a user has at least one event; maintained by triggers. */
export interface ContributionsTable {
  user_id: number;
  project_id: number;
}

export type EventRow = Selectable<EventsTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    events: EventsTable;
    derived_contributions: ContributionsTable;
  }
}
