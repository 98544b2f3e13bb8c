import type { Migration } from '../platform/database/migrator.ts';

/** The latest export file of each project. */
export const projectExports: Migration = {
  name: '0221-project-exports',
  up: () => [
    `create table project_exports (
      project_id bigint primary key references projects (id) on delete cascade,
      status text not null,
      options text not null,
      storage_key text,
      size bigint,
      filename text,
      error text,
      asked_at bigint not null,
      finished_at bigint
    )`,
    'create index project_exports_finished on project_exports (finished_at) where storage_key is not null',
  ],
};
