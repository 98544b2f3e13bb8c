import type { Migration } from '../platform/database/migrator.ts';

/** Files of Conan recipes and packages by revision. */
export const conan: Migration = {
  name: '1056-conan',
  up: ({ text }) => [
    `create table conan_files (
      file_id bigint primary key references package_files (id) on delete cascade,
      project_id bigint not null references projects (id) on delete cascade,
      name ${text} not null,
      version ${text} not null,
      username ${text} not null,
      channel ${text} not null,
      recipe_revision ${text} not null,
      package_reference ${text} not null,
      package_revision ${text} not null,
      file_name ${text} not null,
      info text,
      unique (project_id, name, version, username, channel, recipe_revision, package_reference, package_revision, file_name)
    )`,
    `create index packages_conan on packages (project_id, name) where package_type = 'conan'`,
  ],
};
