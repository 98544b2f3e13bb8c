import type { Migration } from '../platform/database/migrator.ts';

/** RubyGems metadata, one row per version and platform. */
export const rubygems: Migration = {
  name: '1055-rubygems',
  up: ({ text }) => [
    `create table rubygems_files (
      file_id bigint primary key references package_files (id) on delete cascade,
      project_id bigint not null references projects (id) on delete cascade,
      name ${text} not null,
      version ${text} not null,
      platform ${text} not null,
      is_prerelease integer not null,
      file_name ${text} not null,
      metadata text not null,
      unique (project_id, file_name)
    )`,
    'create index rubygems_files_name on rubygems_files (project_id, name, file_id)',
    'create index rubygems_files_listed on rubygems_files (project_id, is_prerelease, file_id)',
  ],
};
