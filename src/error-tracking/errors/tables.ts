import type { Generated, Selectable } from 'kysely';

export const errorStatuses = ['unresolved', 'resolved', 'ignored'] as const;
export type ErrorStatus = (typeof errorStatuses)[number];

/** An error: a group of events with the same fingerprint. */
export interface ErrorTrackingErrorsTable {
  id: Generated<number>;
  project_id: number;
  /** Decimal number shown to users as the error's ID. */
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
  /** Total number of events received, including those deleted since. */
  event_count: number;
  user_count: Generated<number>;
  /** Number of events still stored. */
  kept_events: Generated<number>;
  created_at: number;
  /** The issue created from the error. */
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

/** Number of events of an error per hour or day. */
export interface ErrorTrackingCountsTable {
  error_id: number;
  /** Length of the period in seconds. */
  unit: number;
  /** Unix time in seconds. */
  starts_at: number;
  count: number;
}

/** Affected users, stored as digests. */
export interface ErrorTrackingUsersTable {
  error_id: number;
  identity: string;
  last_seen: number;
}

/** Releases and environments in which an error occurred. */
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
