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
  /** Null for what is told of all versions of something. */
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
  /** Of the formats whose clients ask for it. */
  sha512: string | null;
  storage_key: string;
  created_at: number;
}

/** The pipeline whose job has published a file. */
export interface PackageBuildsTable {
  file_id: number;
  package_id: number;
  pipeline_id: number;
}

/** A file without a row: one whose row is gone, or one on its way, which is removed should its row never come. */
export interface DeletedPackageFilesTable {
  storage_key: string;
  /** When it is to be removed. */
  due_at: Generated<number>;
}

/** What npm is told of a version. */
export interface NpmVersionsTable {
  package_id: number;
  /** JSON: what of its `package.json` installing needs and people read. */
  manifest: string;
  integrity: string;
  /** What whoever installs it is warned of. */
  deprecated: string | null;
}

/** What pip is told of a version. */
export interface PypiVersionsTable {
  package_id: number;
  project_id: number;
  /** In small letters, with single dashes: all spellings of a name stand for this. */
  normalized_name: string;
  requires_python: string | null;
}

/** What NuGet is told of a version. */
export interface NugetVersionsTable {
  package_id: number;
  project_id: number;
  /** In small letters: all spellings of a name stand for these. */
  lower_name: string;
  /** Normalized, in small letters. */
  lower_version: string;
  is_prerelease: number;
  /** JSON: what of its manifest installing needs and people read. */
  metadata: string;
}

/** A file of a chart in the channel that it was published to, with what Helm is told of it. */
export interface HelmFilesTable {
  file_id: number;
  project_id: number;
  channel: string;
  file_name: string;
  /** JSON: its `Chart.yaml`. */
  metadata: string;
}

/** A gem, of a version for a platform, with what RubyGems is told of it. */
export interface RubygemsFilesTable {
  file_id: number;
  project_id: number;
  name: string;
  version: string;
  platform: string;
  is_prerelease: number;
  file_name: string;
  /** JSON: what of its specification installing needs and people read. */
  metadata: string;
}

/** A file of a Conan recipe, or of a package that was built of it. */
export interface ConanFilesTable {
  file_id: number;
  project_id: number;
  name: string;
  version: string;
  username: string;
  channel: string;
  recipe_revision: string;
  /** Which package; empty for a file of the recipe, as its revision. */
  package_reference: string;
  package_revision: string;
  file_name: string;
  /** JSON, of a `conaninfo.txt` alone: what it says. */
  info: string | null;
}

/** What Composer is told of a version, whose files are those of a commit. */
export interface ComposerVersionsTable {
  package_id: number;
  project_id: number;
  name: string;
  /** The commit. */
  target_sha: string;
  /** JSON: its `composer.json`, without what the registry says itself. */
  manifest: string;
}

/** A name that stands for one version of an npm package. */
export interface NpmTagsTable {
  id: Generated<number>;
  project_id: number;
  package_name: string;
  name: string;
  package_id: number;
  created_at: number;
  updated_at: number;
}

/** The least roles that may publish or delete packages of a type whose names fit a pattern with stars. */
export interface PackageProtectionRulesTable {
  id: Generated<number>;
  project_id: number;
  package_type: string;
  pattern: string;
  /** Null where everybody may who may at all. */
  push_level: number | null;
  delete_level: number | null;
  created_at: number;
  updated_at: number;
}

export type PackageRuleRow = Selectable<PackageProtectionRulesTable>;
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
    npm_versions: NpmVersionsTable;
    npm_tags: NpmTagsTable;
    package_protection_rules: PackageProtectionRulesTable;
    pypi_versions: PypiVersionsTable;
    helm_files: HelmFilesTable;
    nuget_versions: NugetVersionsTable;
    rubygems_files: RubygemsFilesTable;
    conan_files: ConanFilesTable;
    composer_versions: ComposerVersionsTable;
  }
}
