import type { Generated, Selectable } from 'kysely';

export interface IterationCadencesTable {
  id: Generated<number>;
  namespace_id: number;
  title: string;
  description: string | null;
  /** Days, as `2026-01-31`. */
  start_date: string;
  duration_in_weeks: number;
  iterations_in_advance: number;
  /** Iterations are added as time goes on. */
  automatic: number;
  created_at: number;
  updated_at: number;
}

export interface IterationsTable {
  id: Generated<number>;
  iid: number;
  /** Which of its cadence it is, from 1. */
  sequence: number;
  cadence_id: number;
  namespace_id: number;
  /** Null for those that a cadence has made. */
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
  /** Null once the iteration is gone. */
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
