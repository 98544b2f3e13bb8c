import type { Generated, Selectable } from 'kysely';

/** A file of events of one project, collected while the previous one was being written. */
export interface ErrorTrackingBatchesTable {
  id: Generated<number>;
  project_id: number;
  storage_key: string;
  size: number;
  /** Number of stored events; the file is deleted with the last one. */
  events: number;
  /** JSON of the events not recorded yet; null once recorded. */
  pending: string | null;
  /** JSON of the events that could not be recorded with the others; null if there are none. */
  failed: Generated<string | null>;
  /** How often all of `failed` has been tried. */
  failures: Generated<number>;
  received_at: number;
}

export type BatchRow = Selectable<ErrorTrackingBatchesTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    error_tracking_batches: ErrorTrackingBatchesTable;
  }
}
