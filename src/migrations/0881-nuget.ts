import type { Migration } from '../platform/database/migrator.ts';

/** NuGet package metadata, by lower-case name and version. */
export const nuget: Migration = {
  name: '0881-nuget',
  up: ({ text }) => [
    `create table nuget_versions (
      package_id bigint primary key references packages (id) on delete cascade,
      project_id bigint not null references projects (id) on delete cascade,
      lower_name ${text} not null,
      lower_version ${text} not null,
      is_prerelease integer not null,
      metadata text not null,
      unique (project_id, lower_name, lower_version)
    )`,
    'create index nuget_versions_anywhere on nuget_versions (lower_name, project_id)',
  ],
};
