import type { Migration } from '../platform/database/migrator.ts';

/** Group imports from files. */
export const groupImports: Migration = {
  name: '0761-group-imports',
  up: ({ id }) => [
    `create table group_imports (
      namespace_id bigint primary key references namespaces (id) on delete cascade,
      user_id bigint not null references users (id),
      status text not null default 'created',
      storage_key text,
      error text,
      position integer not null default 0,
      stage text not null default '',
      cursors text not null default '{}',
      failures integer not null default 0,
      created_at bigint not null,
      progress_at bigint not null
    )`,
    'create index group_imports_user on group_imports (user_id)',
    'create index group_imports_running on group_imports (progress_at) where storage_key is not null',
    `create table imported_groups (
      import_id bigint not null references group_imports (namespace_id) on delete cascade,
      source_id bigint not null,
      namespace_id bigint not null references namespaces (id) on delete cascade,
      primary key (import_id, source_id)
    )`,
    'create index imported_groups_namespace on imported_groups (namespace_id)',
    `create table group_import_failures (
      id ${id},
      import_id bigint not null references group_imports (namespace_id) on delete cascade,
      relation_name text not null,
      source text not null,
      exception_class text not null,
      exception_message text not null,
      created_at bigint not null
    )`,
    'create index group_import_failures_import on group_import_failures (import_id, id)',
  ],
};
