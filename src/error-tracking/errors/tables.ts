import type { Generated, Selectable } from 'kysely';

export const errorStatuses = ['unresolved', 'resolved', 'ignored'] as const;
export type ErrorStatus = (typeof errorStatuses)[number];

/** Events that are one fault. */
export interface ErrorTrackingErrorsTable {
  id: Generated<number>;
  project_id: number;
  /** Decimal digits: the number that people see. */
  fingerprint: string;
  grouping_version: number;
  title: string;
  message: string;
  culprit: string;
  platform: string;
  level: string;
  logger: string | null;
  status: Generated<ErrorStatus>;
  first_seen: number;
  last_seen: number;
  first_release: string | null;
  last_release: string | null;
  /** All that ever came in, whether they are still kept or not. */
  event_count: number;
  user_count: Generated<number>;
  /** How many of its events can still be looked at. */
  kept_events: Generated<number>;
  created_at: number;
  /** The one that was made of it. */
  issue_id: Generated<number | null>;
}

export interface ErrorTrackingEventsTable {
  id: Generated<number>;
  project_id: number;
  error_id: number;
  event_id: string;
  occurred_at: number;
  received_at: number;
  level: string;
  message: string;
  environment: string;
  release: string | null;
  batch_id: number;
  position: number;
  length: number;
}

/** How many events an error had in an hour or a day. */
export interface ErrorTrackingCountsTable {
  error_id: number;
  /** The length of the time, in seconds. */
  unit: number;
  /** Seconds since 1970. */
  starts_at: number;
  count: number;
}

/** Who was affected: a digest for each. */
export interface ErrorTrackingUsersTable {
  error_id: number;
  identity: string;
  last_seen: number;
}

/** The releases and environments that an error was seen in. */
export interface ErrorTrackingValuesTable {
  error_id: number;
  name: 'release' | 'environment';
  value: string;
  count: number;
  first_seen: number;
  last_seen: number;
}

export type ErrorRow = Selectable<ErrorTrackingErrorsTable>;
export type EventRow = Selectable<ErrorTrackingEventsTable>;
export type ValueRow = Selectable<ErrorTrackingValuesTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    error_tracking_errors: ErrorTrackingErrorsTable;
    error_tracking_events: ErrorTrackingEventsTable;
    error_tracking_counts: ErrorTrackingCountsTable;
    error_tracking_users: ErrorTrackingUsersTable;
    error_tracking_values: ErrorTrackingValuesTable;
  }
}
