import type { Migration } from '../platform/database/migrator.ts';

const kept = 'relation, status, batched, error, objects_count, asked_at, updated_at';

/** Group exports with one file per relation: an export belongs to a project or a group. */
export const groupRelationExports: Migration = {
  name: '0560-group-relation-exports',
  up: ({ id }) => [
    `create table place_relation_exports (
      id ${id},
      project_id bigint references projects (id) on delete cascade,
      namespace_id bigint references namespaces (id) on delete cascade,
      relation text not null,
      status text not null,
      batched integer not null,
      error text,
      objects_count integer not null default 0,
      asked_at bigint not null,
      updated_at bigint not null,
      check ((project_id is null) <> (namespace_id is null))
    )`,
    `create table place_relation_export_files (
      id ${id},
      export_id bigint not null references place_relation_exports (id) on delete cascade,
      batch_number bigint not null,
      objects_count integer not null,
      storage_key text not null,
      filename text not null,
      updated_at bigint not null
    )`,
    `insert into place_relation_exports (project_id, ${kept}) select project_id, ${kept} from relation_exports`,
    `insert into place_relation_export_files (export_id, batch_number, objects_count, storage_key, filename, updated_at)
      select n.id, f.batch_number, f.objects_count, f.storage_key, f.filename, f.updated_at
      from relation_export_files f
      join relation_exports o on o.id = f.export_id
      join place_relation_exports n on n.project_id = o.project_id and n.relation = o.relation`,
    'drop table relation_export_files',
    'drop table relation_exports',
    'alter table place_relation_exports rename to relation_exports',
    'alter table place_relation_export_files rename to relation_export_files',
    'create unique index relation_exports_of_project on relation_exports (project_id, relation) where project_id is not null',
    'create unique index relation_exports_of_group on relation_exports (namespace_id, relation) where namespace_id is not null',
    'create index relation_exports_updated on relation_exports (updated_at)',
    'create unique index relation_export_files_batch on relation_export_files (export_id, batch_number)',
  ],
};
