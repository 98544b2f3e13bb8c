import type { Migration } from '../platform/database/migrator.ts';

/** Direct transfers of groups and projects from another server. */
export const directTransfers: Migration = {
  name: '0561-direct-transfers',
  up: ({ id }) => [
    `create table bulk_imports (
      id ${id},
      user_id bigint not null references users (id) on delete cascade,
      status text not null,
      source_url text not null,
      encrypted_data text,
      has_failures integer not null default 0,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    'create index bulk_imports_user on bulk_imports (user_id, id)',
    `create table bulk_import_entities (
      id ${id},
      bulk_import_id bigint not null references bulk_imports (id) on delete cascade,
      user_id bigint not null references users (id) on delete cascade,
      parent_id bigint references bulk_import_entities (id) on delete cascade,
      entity_type text not null,
      source_full_path text not null,
      destination_namespace text not null,
      destination_slug text not null,
      namespace_id bigint references namespaces (id) on delete set null,
      project_id bigint references projects (id) on delete set null,
      migrate_projects integer not null,
      migrate_memberships integer not null,
      status text not null,
      stage text not null default '',
      cursors text not null default '{}',
      failures integer not null default 0,
      has_failures integer not null default 0,
      stats text not null default '{}',
      created_at bigint not null,
      updated_at bigint not null
    )`,
    'create index bulk_import_entities_import on bulk_import_entities (bulk_import_id, id)',
    'create index bulk_import_entities_user on bulk_import_entities (user_id, id)',
    `create unique index bulk_import_entities_child on bulk_import_entities (parent_id, entity_type, source_full_path)
      where parent_id is not null`,
    'create index bulk_import_entities_project on bulk_import_entities (project_id) where project_id is not null',
    'create index bulk_import_entities_namespace on bulk_import_entities (namespace_id) where namespace_id is not null',
    `create index bulk_import_entities_running on bulk_import_entities (updated_at)
      where status in ('created', 'started')`,
    `create table bulk_import_failures (
      id ${id},
      entity_id bigint not null references bulk_import_entities (id) on delete cascade,
      relation text not null,
      source_title text not null,
      exception_class text not null,
      exception_message text not null,
      created_at bigint not null
    )`,
    'create index bulk_import_failures_entity on bulk_import_failures (entity_id, id)',
  ],
};
