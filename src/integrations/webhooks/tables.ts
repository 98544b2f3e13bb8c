import type { Generated, Selectable } from 'kysely';

/** A webhook of a project or group, or, if both columns are null, a system hook. */
export interface WebhooksTable {
  id: Generated<number>;
  project_id: number | null;
  namespace_id: number | null;
  /** May contain `{name}` placeholders for URL variables. */
  url: string;
  name: Generated<string>;
  description: Generated<string>;
  /** Encrypted, as are `signing_token`, and `url_variables` and `custom_headers`, which contain JSON objects. */
  token: string | null;
  /** `whsec_` and the key in Base64. */
  signing_token: Generated<string | null>;
  /** JSON array of the enabled events. */
  events: string;
  enable_ssl_verification: Generated<number>;
  push_events_branch_filter: string | null;
  branch_filter_strategy: Generated<string>;
  custom_webhook_template: string | null;
  url_variables: string | null;
  custom_headers: string | null;
  /** Consecutive failed deliveries. */
  recent_failures: Generated<number>;
  backoff_count: Generated<number>;
  disabled_until: Generated<number | null>;
  /** Slug of the integration; null for a plain webhook. */
  kind: Generated<string | null>;
  /** Settings of the integration, as JSON. */
  settings: Generated<string | null>;
  /** Only integrations can be inactive. */
  active: Generated<number>;
  created_at: number;
  updated_at: number;
}

export interface WebhookDeliveriesTable {
  id: Generated<number>;
  webhook_id: number;
  trigger_name: string;
  /** Value of the event header. */
  event: string;
  /** The URL template, without the values of its variables. */
  url: string;
  /** JSON with secrets redacted. */
  request_headers: string;
  request_data: string;
  /** Whether the data was too large to store. */
  oversize: Generated<number>;
  idempotency_key: string;
  response_headers: string;
  response_body: string;
  /** Null if there was no response. */
  response_status: number | null;
  /** Why there was no response. */
  failure: string | null;
  execution_ms: number;
  created_at: number;
}

/** A mention that is, or is being, reported to Jira. */
export interface JiraMentionsTable {
  id: Generated<number>;
  project_id: number;
  issue_key: string;
  /** The source of the mention, such as `commit <id>`. */
  about: string;
  /** The delivery that reports it. */
  claimed_by: string;
  told_at: number | null;
}

export type WebhookRow = Selectable<WebhooksTable>;
export type DeliveryRow = Selectable<WebhookDeliveriesTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    webhooks: WebhooksTable;
    webhook_deliveries: WebhookDeliveriesTable;
    jira_mentions: JiraMentionsTable;
  }
}
