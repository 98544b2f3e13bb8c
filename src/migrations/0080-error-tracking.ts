import type { Migration } from '../platform/database/migrator.ts';

/**
 * Error tracking. Errors, events and batches have no foreign key to their project: a project can have millions of them,
 * which a background job deletes in batches.
 */
export const errorTracking: Migration = {
  name: '0080-error-tracking',
  up: (dialect) => {
    const { id, text } = dialect;
    return [
      `create table error_tracking_settings (
        project_id bigint primary key references projects (id) on delete cascade,
        active integer not null,
        integrated integer not null,
        created_at bigint not null,
        updated_at bigint not null
      )`,

      `create table error_tracking_client_keys (
        id ${id},
        project_id bigint not null references projects (id) on delete cascade,
        public_key ${text} not null unique,
        active integer not null default 1,
        created_at bigint not null
      )`,
      'create index error_tracking_client_keys_project on error_tracking_client_keys (project_id, id)',

      `create table error_tracking_batches (
        id ${id},
        project_id bigint not null,
        storage_key text not null,
        size bigint not null,
        events integer not null,
        pending text,
        received_at bigint not null
      )`,
      'create index error_tracking_batches_pending on error_tracking_batches (id) where pending is not null',
      'create index error_tracking_batches_project on error_tracking_batches (project_id, id)',
      'create index error_tracking_batches_received on error_tracking_batches (received_at, id)',
      'create index error_tracking_batches_empty on error_tracking_batches (id) where events = 0 and pending is null',

      `create table error_tracking_errors (
        id ${id},
        project_id bigint not null,
        fingerprint ${text} not null,
        grouping_version integer not null,
        title text not null,
        message text not null,
        culprit text not null,
        platform text not null,
        level text not null,
        logger text,
        status text not null default 'unresolved',
        first_seen bigint not null,
        last_seen bigint not null,
        first_release text,
        last_release text,
        event_count bigint not null,
        user_count bigint not null default 0,
        kept_events integer not null default 0,
        created_at bigint not null,
        unique (project_id, fingerprint)
      )`,
      'create index error_tracking_errors_last_seen on error_tracking_errors (project_id, status, last_seen, id)',
      'create index error_tracking_errors_first_seen on error_tracking_errors (project_id, status, first_seen, id)',
      'create index error_tracking_errors_frequency on error_tracking_errors (project_id, status, event_count, id)',
      'create index error_tracking_errors_created on error_tracking_errors (project_id, created_at)',
      'create index error_tracking_errors_past on error_tracking_errors (last_seen, id)',
      'create index error_tracking_errors_full on error_tracking_errors (id) where kept_events > 200',
      ...dialect.search({ table: 'error_tracking_errors', columns: ['title'] }),

      `create table error_tracking_events (
        id ${id},
        project_id bigint not null,
        error_id bigint not null references error_tracking_errors (id) on delete cascade,
        event_id ${text} not null,
        occurred_at bigint not null,
        received_at bigint not null,
        level text not null,
        message text not null,
        environment text not null,
        release text,
        batch_id bigint not null,
        position bigint not null,
        length bigint not null,
        unique (project_id, event_id)
      )`,
      'create index error_tracking_events_error on error_tracking_events (error_id, occurred_at, id)',
      'create index error_tracking_events_batch on error_tracking_events (batch_id)',

      `create table error_tracking_counts (
        error_id bigint not null references error_tracking_errors (id) on delete cascade,
        unit integer not null,
        starts_at bigint not null,
        count bigint not null,
        primary key (error_id, unit, starts_at)
      )`,
      'create index error_tracking_counts_past on error_tracking_counts (unit, starts_at)',

      `create table error_tracking_users (
        error_id bigint not null references error_tracking_errors (id) on delete cascade,
        identity ${text} not null,
        last_seen bigint not null,
        primary key (error_id, identity)
      )`,
      'create index error_tracking_users_past on error_tracking_users (last_seen)',

      `create table error_tracking_values (
        error_id bigint not null references error_tracking_errors (id) on delete cascade,
        name text not null,
        value ${text} not null,
        count bigint not null,
        first_seen bigint not null,
        last_seen bigint not null,
        primary key (error_id, name, value)
      )`,
      'create index error_tracking_values_past on error_tracking_values (last_seen)',
    ];
  },
};
