import type { Migration } from '../platform/database/migrator.ts';

/** Composer package metadata. */
export const composer: Migration = {
  name: '0890-composer',
  up: ({ text }) => [
    `create table composer_versions (
      package_id bigint primary key references packages (id) on delete cascade,
      project_id bigint not null references projects (id) on delete cascade,
      name ${text} not null,
      target_sha text not null,
      manifest text not null
    )`,
    'create index composer_versions_name on composer_versions (project_id, name, package_id)',
    'create index composer_versions_anywhere on composer_versions (name, project_id)',
  ],
};
