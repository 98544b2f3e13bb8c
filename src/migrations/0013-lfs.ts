import type { Migration } from '../platform/database/migrator.ts';

/** Git LFS: stored objects, the projects that reference them, and file locks. */
export const lfs: Migration = {
  name: '0013-lfs',
  up: ({ id, text }) => [
    `create table lfs_objects (
      id ${id},
      oid ${text} not null,
      size bigint not null,
      created_at bigint not null
    )`,
    'create unique index lfs_objects_oid on lfs_objects (oid)',

    `create table lfs_object_projects (
      lfs_object_id bigint not null references lfs_objects (id),
      project_id bigint not null references projects (id) on delete cascade,
      created_at bigint not null,
      primary key (project_id, lfs_object_id)
    )`,
    'create index lfs_object_projects_object on lfs_object_projects (lfs_object_id, project_id)',

    `create table lfs_locks (
      id ${id},
      project_id bigint not null references projects (id) on delete cascade,
      user_id bigint not null references users (id) on delete cascade,
      path ${text} not null,
      created_at bigint not null
    )`,
    'create unique index lfs_locks_path on lfs_locks (project_id, path)',
    'create index lfs_locks_user on lfs_locks (user_id)',
  ],
};
