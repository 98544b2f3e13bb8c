import type { Generated, Selectable } from 'kysely';

export interface IterationCadencesTable {
  id: Generated<number>;
  namespace_id: number;
  title: string;
  description: string | null;
  /** Date in the format YYYY-MM-DD. */
  start_date: string;
  duration_in_weeks: number;
  iterations_in_advance: number;
  /** Whether iterations are created automatically. */
  automatic: number;
  created_at: number;
  updated_at: number;
}

export interface IterationsTable {
  id: Generated<number>;
  iid: number;
  /** Number within the cadence, starting at 1. */
  sequence: number;
  cadence_id: number;
  namespace_id: number;
  /** Null for iterations created by a cadence. */
  title: string | null;
  description: string | null;
  start_date: string;
  due_date: string;
  created_at: number;
  updated_at: number;
}

export interface ResourceIterationEventsTable {
  id: Generated<number>;
  issue_id: number;
  /** Null once the iteration is deleted. */
  iteration_id: number | null;
  user_id: number;
  action: 'add' | 'remove';
  created_at: number;
}

export type CadenceRow = Selectable<IterationCadencesTable>;
export type IterationRow = Selectable<IterationsTable>;
export type IterationEventRow = Selectable<ResourceIterationEventsTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    iteration_cadences: IterationCadencesTable;
    iterations: IterationsTable;
    resource_iteration_events: ResourceIterationEventsTable;
  }
}
