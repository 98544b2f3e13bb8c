import type { Migration } from '../platform/database/migrator.ts';

/** Imports: progress, failures, already imported objects, and users of other hosts. */
export const imports: Migration = {
  name: '0101-imports',
  up: ({ id }) => [
    `create table project_imports (
      project_id bigint primary key references projects (id) on delete cascade,
      import_type text not null,
      import_source text not null,
      user_id bigint not null references users (id),
      encrypted_data text,
      stage text not null default '',
      cursors text not null default '{}',
      failures integer not null default 0,
      stats text,
      correlation_id text not null,
      created_at bigint not null,
      progress_at bigint not null
    )`,
    'create index project_imports_user on project_imports (user_id)',
    `create table import_failures (
      id ${id},
      project_id bigint not null references projects (id) on delete cascade,
      relation_name text not null,
      source text not null,
      exception_class text not null,
      exception_message text not null,
      created_at bigint not null
    )`,
    'create index import_failures_project on import_failures (project_id, id)',
    `create table imported_objects (
      project_id bigint not null references projects (id) on delete cascade,
      kind text not null,
      source_id text not null,
      target_id bigint,
      done integer not null,
      primary key (project_id, kind, source_id)
    )`,
    `create table import_source_users (
      id ${id},
      namespace_id bigint not null references namespaces (id) on delete cascade,
      import_type text not null,
      source_hostname text not null,
      source_user_id text not null,
      source_username text not null,
      source_name text not null,
      user_id bigint not null references users (id),
      created_at bigint not null
    )`,
    `create unique index import_source_users_source
      on import_source_users (namespace_id, import_type, source_hostname, source_user_id)`,
    'create index import_source_users_user on import_source_users (user_id)',
    `create table gist_imports (
      user_id bigint primary key references users (id) on delete cascade,
      encrypted_data text,
      cursor text,
      failed text not null default '[]',
      started_at bigint not null
    )`,
  ],
};
