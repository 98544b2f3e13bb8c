import type { Generated, Insertable, Selectable } from 'kysely';

/** How a group wants its proxy; one that never said has no row. */
export interface DependencyProxySettingsTable {
  group_id: number;
  enabled: number;
  /** Who signs in to the other registry, and with what, encrypted. */
  identity: string | null;
  secret: string | null;
  /** Whether what was not pulled for some days is removed. */
  ttl_enabled: number;
  /** Days. */
  ttl: number;
  created_at: number;
  updated_at: number;
}

/** An image of the other registry, or a list of images. */
export interface DependencyProxyManifestsTable {
  id: Generated<number>;
  group_id: number;
  image: string;
  digest: string;
  media_type: string;
  /** Exactly as it came. */
  payload: string;
  size: number;
  created_at: number;
  /** When it was last pulled, to the hour. */
  read_at: number;
}

/** What a tag stood for when somebody last asked. */
export interface DependencyProxyTagsTable {
  group_id: number;
  image: string;
  name: string;
  manifest_id: number;
}

export interface DependencyProxyBlobsTable {
  id: Generated<number>;
  /** Null once the group is gone or needs it no more: its file is to be removed. */
  group_id: number | null;
  digest: string;
  size: number;
  storage_key: string;
  created_at: number;
  /** When it was last pulled, to the hour. */
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
