import type { Migration } from '../platform/database/migrator.ts';

/** Imports of single relations into existing projects, one at a time per project. */
export const relationImports: Migration = {
  name: '0860-relation-imports',
  up: ({ id }) => [
    `create table relation_imports (
      id ${id},
      project_id bigint not null references projects (id) on delete cascade,
      user_id bigint not null references users (id),
      relation text not null,
      status text not null default 'created',
      storage_key text,
      cursors text not null default '{}',
      failures integer not null default 0,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    'create index relation_imports_project on relation_imports (project_id, id)',
    'create index relation_imports_user on relation_imports (user_id)',
    'create unique index relation_imports_running on relation_imports (project_id) where storage_key is not null',
    'create index relation_imports_stale on relation_imports (updated_at) where storage_key is not null',
  ],
};
