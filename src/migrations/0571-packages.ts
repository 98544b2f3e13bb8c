import type { Migration } from '../platform/database/migrator.ts';

/** Packages with their files and pipelines, and the package size of projects. */
export const packages: Migration = {
  name: '0571-packages',
  up: ({ id, text }) => [
    `create table packages (
      id ${id},
      project_id bigint not null references projects (id) on delete cascade,
      name ${text} not null,
      version ${text},
      package_type text not null,
      status text not null,
      creator_id bigint references users (id) on delete set null,
      last_downloaded_at bigint,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    'create unique index packages_name on packages (project_id, package_type, name, version)',
    'create index packages_of_project on packages (project_id, id)',
    'create index packages_by_name on packages (project_id, name, id)',
    'create index packages_by_version on packages (project_id, version, id)',
    'create index packages_creator on packages (creator_id) where creator_id is not null',

    `create table package_files (
      id ${id},
      package_id bigint not null references packages (id) on delete cascade,
      file_name ${text} not null,
      size bigint not null,
      md5 text not null,
      sha1 text not null,
      sha256 text not null,
      storage_key text not null,
      created_at bigint not null
    )`,
    'create index package_files_package on package_files (package_id, id)',
    'create index package_files_name on package_files (package_id, file_name, id)',

    `create table package_builds (
      file_id bigint primary key references package_files (id) on delete cascade,
      package_id bigint not null references packages (id) on delete cascade,
      pipeline_id bigint not null references pipelines (id) on delete cascade
    )`,
    'create index package_builds_package on package_builds (package_id, pipeline_id)',
    'create index package_builds_pipeline on package_builds (pipeline_id)',

    'create table deleted_package_files (storage_key text primary key)',

    'alter table projects add column packages_size bigint not null default 0',
    'create index projects_packages_size on projects (visibility, packages_size, id)',
    'drop index projects_storage_size',
    `create index projects_storage_size on projects
      (visibility, (repository_size + lfs_objects_size + uploads_size + packages_size), id)`,
  ],
};
