import type { Migration } from '../platform/database/migrator.ts';

/** Project exports with one file per relation, for direct transfer. */
export const relationExports: Migration = {
  name: '0450-relation-exports',
  up: ({ id }) => [
    `create table relation_exports (
      id ${id},
      project_id bigint not null references projects (id) on delete cascade,
      relation text not null,
      status text not null,
      batched integer not null,
      error text,
      objects_count integer not null default 0,
      asked_at bigint not null,
      updated_at bigint not null
    )`,
    'create unique index relation_exports_relation on relation_exports (project_id, relation)',
    'create index relation_exports_updated on relation_exports (updated_at)',
    `create table relation_export_files (
      id ${id},
      export_id bigint not null references relation_exports (id) on delete cascade,
      batch_number bigint not null,
      objects_count integer not null,
      storage_key text not null,
      filename text not null,
      updated_at bigint not null
    )`,
    'create unique index relation_export_files_batch on relation_export_files (export_id, batch_number)',
  ],
};
