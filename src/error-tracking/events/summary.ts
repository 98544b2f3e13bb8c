import type { Level } from './event.ts';

/** What of an event is listed and counted; the whole event lies in the file of its batch. */
export interface EventSummary {
  readonly event_id: string;
  /** The number of the error that it belongs to. */
  readonly fingerprint: string;
  readonly grouping_version: number;
  readonly title: string;
  readonly message: string;
  readonly culprit: string;
  readonly platform: string;
  readonly level: Level;
  readonly logger: string | null;
  readonly environment: string;
  readonly release: string | null;
  /** A digest that tells the affected user from others. */
  readonly identity: string | null;
  readonly occurred_at: number;
  readonly received_at: number;
}

/** A summary, and where in the file of its batch the event lies. */
export interface StoredSummary extends EventSummary {
  readonly position: number;
  readonly length: number;
}
