import type { Migration } from '../platform/database/migrator.ts';

/** The latest export file of each group. */
export const groupExports: Migration = {
  name: '0760-group-exports',
  up: () => [
    `create table group_exports (
      namespace_id bigint primary key references namespaces (id) on delete cascade,
      status text not null,
      storage_key text,
      size bigint,
      filename text,
      error text,
      asked_at bigint not null,
      finished_at bigint
    )`,
    'create index group_exports_finished on group_exports (finished_at) where storage_key is not null',
  ],
};
