import type { Generated, Selectable } from 'kysely';

/** A file of events of one project: those that came in while the one before it was being written. */
export interface ErrorTrackingBatchesTable {
  id: Generated<number>;
  project_id: number;
  storage_key: string;
  size: number;
  /** How many of its events are still wanted; the file goes with the last. */
  events: number;
  /** What has yet to be counted, as JSON; null when that is done. */
  pending: string | null;
  received_at: number;
}

export type BatchRow = Selectable<ErrorTrackingBatchesTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    error_tracking_batches: ErrorTrackingBatchesTable;
  }
}
