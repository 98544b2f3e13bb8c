import type { Generated, Selectable } from 'kysely';

/** Of a project, of a group and what is in it, or where both are null of the whole instance. */
export interface WebhooksTable {
  id: Generated<number>;
  project_id: number | null;
  namespace_id: number | null;
  /** With `{name}` where a URL variable stands. */
  url: string;
  name: Generated<string>;
  description: Generated<string>;
  /** Encrypted, as the next but two, which are JSON objects of texts. */
  token: string | null;
  /** The switches that are on, as a JSON array. */
  events: string;
  enable_ssl_verification: Generated<number>;
  push_events_branch_filter: string | null;
  branch_filter_strategy: Generated<string>;
  custom_webhook_template: string | null;
  url_variables: string | null;
  custom_headers: string | null;
  /** Deliveries that failed since the last that did not. */
  recent_failures: Generated<number>;
  backoff_count: Generated<number>;
  disabled_until: Generated<number | null>;
  /** The integration that it is; null for what is a webhook and nothing else. */
  kind: Generated<string | null>;
  /** What was set for the integration, as JSON. */
  settings: Generated<string | null>;
  /** Only integrations can be off without being deleted. */
  active: Generated<number>;
  created_at: number;
  updated_at: number;
}

export interface WebhookDeliveriesTable {
  id: Generated<number>;
  webhook_id: number;
  trigger_name: string;
  /** The value of the header that names the event. */
  event: string;
  /** As it stands in the webhook, without the values of its variables. */
  url: string;
  /** JSON; secrets are taken out. */
  request_headers: string;
  request_data: string;
  /** The data was too large to be kept. */
  oversize: Generated<number>;
  idempotency_key: string;
  response_headers: string;
  response_body: string;
  /** Null where no answer came. */
  response_status: number | null;
  /** Why none came. */
  failure: string | null;
  execution_ms: number;
  created_at: number;
}

/** What Jira was told of, or is about to be. */
export interface JiraMentionsTable {
  id: Generated<number>;
  project_id: number;
  issue_key: string;
  /** What names the issue, as `commit <id>`. */
  about: string;
  /** The delivery that tells of it. */
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
