import type { Migration } from '../platform/database/migrator.ts';

/** Webhooks of projects, groups and the instance, with their delivery logs. */
export const webhooks: Migration = {
  name: '0070-webhooks',
  up: ({ id }) => [
    `create table webhooks (
      id ${id},
      project_id bigint references projects (id) on delete cascade,
      namespace_id bigint references namespaces (id) on delete cascade,
      url text not null,
      name text not null default '',
      description text not null default '',
      token text,
      events text not null,
      enable_ssl_verification integer not null default 1,
      push_events_branch_filter text,
      branch_filter_strategy text not null default 'wildcard',
      custom_webhook_template text,
      url_variables text,
      custom_headers text,
      recent_failures integer not null default 0,
      backoff_count integer not null default 0,
      disabled_until bigint,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    'create index webhooks_project on webhooks (project_id, id) where project_id is not null',
    'create index webhooks_namespace on webhooks (namespace_id, id) where namespace_id is not null',
    'create index webhooks_system on webhooks (id) where project_id is null and namespace_id is null',

    `create table webhook_deliveries (
      id ${id},
      webhook_id bigint not null references webhooks (id) on delete cascade,
      trigger_name text not null,
      event text not null,
      url text not null,
      request_headers text not null,
      request_data text not null,
      oversize integer not null default 0,
      idempotency_key text not null,
      response_headers text not null,
      response_body text not null,
      response_status integer,
      failure text,
      execution_ms bigint not null,
      created_at bigint not null
    )`,
    'create index webhook_deliveries_webhook on webhook_deliveries (webhook_id, id)',
    'create index webhook_deliveries_created on webhook_deliveries (created_at)',
  ],
};
