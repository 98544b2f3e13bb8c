import type { Generated, Insertable, Selectable } from 'kysely';
import type { FileKind } from './debian/names.ts';

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

/** A version of a package published by a project. */
export interface PackagesTable {
  id: Generated<number>;
  project_id: number;
  name: string;
  /** Null for metadata shared by all versions. */
  version: string | null;
  package_type: (typeof packageTypes)[number];
  status: (typeof packageStatuses)[number];
  /** Why the status is `error`. */
  status_message: Generated<string | null>;
  creator_id: number | null;
  last_downloaded_at: number | null;
  created_at: number;
  updated_at: number;
}

/** A file of a package. If several have the same name, the latest one counts. */
export interface PackageFilesTable {
  id: Generated<number>;
  package_id: number;
  file_name: string;
  size: number;
  /** Hexadecimal digests. */
  md5: string;
  sha1: string;
  sha256: string;
  /** Only for formats whose clients request it. */
  sha512: string | null;
  storage_key: string;
  created_at: number;
}

/** The pipeline whose job published a file. */
export interface PackageBuildsTable {
  file_id: number;
  package_id: number;
  pipeline_id: number;
}

/** Files to remove: their row was deleted, or may never be committed. */
export interface DeletedPackageFilesTable {
  storage_key: string;
  /** Time of removal. */
  due_at: Generated<number>;
}

/** Metadata of an npm version. */
export interface NpmVersionsTable {
  package_id: number;
  /** JSON: the fields of `package.json` needed for installation or shown to users. */
  manifest: string;
  integrity: string;
  /** Deprecation warning shown on installation. */
  deprecated: string | null;
}

/** Metadata of a Python package version. */
export interface PypiVersionsTable {
  package_id: number;
  project_id: number;
  /** Lowercase with single dashes; shared by all spellings of a name. */
  normalized_name: string;
  requires_python: string | null;
}

/** Metadata of a NuGet version. */
export interface NugetVersionsTable {
  package_id: number;
  project_id: number;
  /** Lowercase; names and versions are case-insensitive. */
  lower_name: string;
  /** Normalized, lowercase. */
  lower_version: string;
  is_prerelease: number;
  /** JSON: the parts of the manifest needed for installation or shown to users. */
  metadata: string;
}

/** A chart file in a channel, with its metadata. */
export interface HelmFilesTable {
  file_id: number;
  project_id: number;
  channel: string;
  file_name: string;
  /** JSON: its `Chart.yaml`. */
  metadata: string;
}

/** A gem file: one version for one platform, with its metadata. */
export interface RubygemsFilesTable {
  file_id: number;
  project_id: number;
  name: string;
  version: string;
  platform: string;
  is_prerelease: number;
  file_name: string;
  /** JSON: the parts of the specification needed for installation or shown to users. */
  metadata: string;
}

/** A file of a Conan recipe or of a package built from it. */
export interface ConanFilesTable {
  file_id: number;
  project_id: number;
  name: string;
  version: string;
  username: string;
  channel: string;
  recipe_revision: string;
  /** The package; empty for files of the recipe, as is the package revision. */
  package_reference: string;
  package_revision: string;
  file_name: string;
  /** JSON, parsed from `conaninfo.txt`; null for other files. */
  info: string | null;
}

/** Metadata of a Composer version, whose files are those of a commit. */
export interface ComposerVersionsTable {
  package_id: number;
  project_id: number;
  name: string;
  /** SHA of the commit. */
  target_sha: string;
  /** JSON: its `composer.json`, without the fields set by the registry. */
  manifest: string;
}

/** A dist-tag of an npm package version. */
export interface NpmTagsTable {
  id: Generated<number>;
  project_id: number;
  package_name: string;
  name: string;
  package_id: number;
  created_at: number;
  updated_at: number;
}

/** A distribution of Debian packages, of a project or a group. */
export interface DebianDistributionsTable {
  id: Generated<number>;
  project_id: number | null;
  group_id: number | null;
  codename: string;
  suite: string | null;
  origin: string | null;
  label: string | null;
  version: string | null;
  description: string | null;
  valid_time_duration_seconds: number | null;
  /** JSON: lists of names, in order. */
  components: string;
  architectures: string;
  /** Armored; the private one is encrypted. */
  public_key: string;
  private_key: string;
  /** Counts the changes of what the release describes. */
  revision: Generated<number>;
  /** The revision that the release describes. */
  released_revision: Generated<number>;
  valid_until: number | null;
  /** The release and its signatures: detached, and around its text. Null until the first is written. */
  release_file: string | null;
  release_signature: string | null;
  signed_release: string | null;
  created_at: number;
  updated_at: number;
}

/** A file in a Debian distribution. */
export interface DebianFilesTable {
  file_id: number;
  distribution_id: number;
  file_name: string;
  component: string;
  /** `source` for source packages; empty for files that no index lists. */
  architecture: string;
  kind: FileKind;
  /** What the indexes say about it, except where it is. */
  paragraph: string;
}

/** An index file of a Debian distribution, current or replaced not long ago. */
export interface DebianIndexesTable {
  id: Generated<number>;
  distribution_id: number;
  /** Relative to the release. */
  path: string;
  size: number;
  sha256: string;
  /** Null for an empty file. */
  storage_key: string | null;
  superseded_at: number | null;
}

/** Minimum roles for publishing or deleting packages of a type whose names match a wildcard pattern. */
export interface PackageProtectionRulesTable {
  id: Generated<number>;
  project_id: number;
  package_type: string;
  pattern: string;
  /** Null if the rule adds no restriction. */
  push_level: number | null;
  delete_level: number | null;
  created_at: number;
  updated_at: number;
}

export type PackageRuleRow = Selectable<PackageProtectionRulesTable>;
export type DebianDistributionRow = Selectable<DebianDistributionsTable>;
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
    debian_distributions: DebianDistributionsTable;
    debian_files: DebianFilesTable;
    debian_indexes: DebianIndexesTable;
  }
}
