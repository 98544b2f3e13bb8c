import type { Migration } from '../platform/database/migrator.ts';

/** npm package metadata, dist-tags, and files in upload that a crash would leave behind. */
export const npm: Migration = {
  name: '0690-npm',
  up: ({ id, text }) => [
    `create table npm_versions (
      package_id bigint primary key references packages (id) on delete cascade,
      manifest text not null,
      integrity text not null,
      deprecated text
    )`,
    `create table npm_tags (
      id ${id},
      project_id bigint not null references projects (id) on delete cascade,
      package_name ${text} not null,
      name ${text} not null,
      package_id bigint not null references packages (id) on delete cascade,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    'create unique index npm_tags_name on npm_tags (project_id, package_name, name)',
    'create index npm_tags_package on npm_tags (package_id)',
    'create index packages_anywhere on packages (package_type, name, project_id)',

    'alter table deleted_package_files add column due_at bigint not null default 0',
    'create index deleted_package_files_due on deleted_package_files (due_at)',
  ],
};
