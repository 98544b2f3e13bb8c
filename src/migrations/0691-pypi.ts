import type { Migration } from '../platform/database/migrator.ts';

/** PyPI package metadata, by normalized name. */
export const pypi: Migration = {
  name: '0691-pypi',
  up: ({ text }) => [
    `create table pypi_versions (
      package_id bigint primary key references packages (id) on delete cascade,
      project_id bigint not null references projects (id) on delete cascade,
      normalized_name ${text} not null,
      requires_python text
    )`,
    'create index pypi_versions_name on pypi_versions (project_id, normalized_name, package_id)',
    'create index pypi_versions_anywhere on pypi_versions (normalized_name, project_id)',
    'create index package_files_sha256 on package_files (sha256, id)',
  ],
};
