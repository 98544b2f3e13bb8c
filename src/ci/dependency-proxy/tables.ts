import type { Generated, Insertable, Selectable } from 'kysely';

/** Dependency proxy settings of a group. Groups with default settings have no row. */
export interface DependencyProxySettingsTable {
  group_id: number;
  enabled: number;
  /** Username and encrypted password for the upstream registry. */
  identity: string | null;
  secret: string | null;
  /** Whether entries not pulled for `ttl` days are removed. */
  ttl_enabled: number;
  /** Days. */
  ttl: number;
  created_at: number;
  updated_at: number;
}

/** A cached image manifest or image index of the upstream registry. */
export interface DependencyProxyManifestsTable {
  id: Generated<number>;
  group_id: number;
  image: string;
  digest: string;
  media_type: string;
  /** Byte-for-byte as received, because the digest covers it. */
  payload: string;
  size: number;
  created_at: number;
  /** Time of the last pull, to the hour. */
  read_at: number;
}

/** The manifest a tag pointed to when it was last pulled. */
export interface DependencyProxyTagsTable {
  group_id: number;
  image: string;
  name: string;
  manifest_id: number;
}

export interface DependencyProxyBlobsTable {
  id: Generated<number>;
  /** Null once the group is deleted or the blob expired; the file is then removed. */
  group_id: number | null;
  digest: string;
  size: number;
  storage_key: string;
  created_at: number;
  /** Time of the last pull, to the hour. */
  read_at: number;
}

export type SettingsRow = Selectable<DependencyProxySettingsTable>;
export type ManifestRow = Selectable<DependencyProxyManifestsTable>;
export type NewManifestRow = Insertable<DependencyProxyManifestsTable>;
export type BlobRow = Selectable<DependencyProxyBlobsTable>;
export type NewBlobRow = Insertable<DependencyProxyBlobsTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    dependency_proxy_settings: DependencyProxySettingsTable;
    dependency_proxy_manifests: DependencyProxyManifestsTable;
    dependency_proxy_tags: DependencyProxyTagsTable;
    dependency_proxy_blobs: DependencyProxyBlobsTable;
  }
}
