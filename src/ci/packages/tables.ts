import type { Generated, Insertable, Selectable } from 'kysely';

export const packageTypes = [
  'maven',
  'npm',
  'conan',
  'nuget',
  'pypi',
  'composer',
  'generic',
  'golang',
  'debian',
  'rubygems',
  'helm',
  'terraform_module',
  'rpm',
  'ml_model',
] as const;
export const packageStatuses = [
  'default',
  'hidden',
  'processing',
  'error',
  'pending_destruction',
  'deprecated',
] as const;

/** A version of something that a project publishes. */
export interface PackagesTable {
  id: Generated<number>;
  project_id: number;
  name: string;
  version: string | null;
  package_type: (typeof packageTypes)[number];
  status: (typeof packageStatuses)[number];
  creator_id: number | null;
  last_downloaded_at: number | null;
  created_at: number;
  updated_at: number;
}

/** A file of a package; of several of one name the newest counts. */
export interface PackageFilesTable {
  id: Generated<number>;
  package_id: number;
  file_name: string;
  size: number;
  /** Digests, hexadecimal. */
  md5: string;
  sha1: string;
  sha256: string;
  storage_key: string;
  created_at: number;
}

/** The pipeline whose job has published a file. */
export interface PackageBuildsTable {
  file_id: number;
  package_id: number;
  pipeline_id: number;
}

/** A file whose row is gone: it is removed after. */
export interface DeletedPackageFilesTable {
  storage_key: string;
}

export type PackageRow = Selectable<PackagesTable>;
export type NewPackageRow = Insertable<PackagesTable>;
export type PackageFileRow = Selectable<PackageFilesTable>;
export type NewPackageFileRow = Insertable<PackageFilesTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    packages: PackagesTable;
    package_files: PackageFilesTable;
    package_builds: PackageBuildsTable;
    deleted_package_files: DeletedPackageFilesTable;
  }
}
