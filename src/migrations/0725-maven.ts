import type { Migration } from '../platform/database/migrator.ts';

/**
 * Packages without a version, which contain Maven's metadata of all versions, and a digest that Maven clients request.
 */
export const maven: Migration = {
  name: '0725-maven',
  up: () => [
    'create unique index packages_versionless on packages (project_id, package_type, name) where version is null',
    'alter table package_files add column sha512 text',
  ],
};
