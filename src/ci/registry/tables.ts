import type { Generated, Insertable, Selectable } from 'kysely';

/** A name that images of a project are pushed to. */
export interface RegistryRepositoriesTable {
  id: Generated<number>;
  project_id: number;
  /** What follows the path of the project; empty for the one that has no more. */
  name: string;
  /** What is being done with it. */
  status: 'delete_scheduled' | null;
  /** When the policy of the project last began to clean it up. */
  cleanup_started_at: number | null;
  /** When somebody last had tags deleted in bulk. */
  tags_deleted_at: number | null;
  created_at: number;
  updated_at: number;
}

/** Bytes by their digest, once for the whole instance. */
export interface RegistryBlobsTable {
  id: Generated<number>;
  /** `sha256:` and hexadecimal. */
  digest: string;
  size: number;
  storage_key: string;
  created_at: number;
}

/** A project that has a blob: because it was sent there, or mounted from where the sender may read. */
export interface RegistryProjectBlobsTable {
  project_id: number;
  blob_id: number;
  /** When somebody last needed it: until a day after, it stays without a manifest. */
  touched_at: number;
}

/** An image, or a list of images for several platforms. */
export interface RegistryManifestsTable {
  id: Generated<number>;
  repository_id: number;
  digest: string;
  media_type: string;
  artifact_type: string | null;
  config_digest: string | null;
  subject_digest: string | null;
  /** JSON. */
  annotations: string | null;
  /** Exactly as it was sent. */
  payload: string;
  size: number;
  /** Of all that it is made of. */
  total_size: number;
  created_at: number;
  /** When it was last pushed, or lost a tag. */
  touched_at: number;
}

export interface RegistryManifestBlobsTable {
  manifest_id: number;
  blob_id: number;
  project_id: number;
}

export interface RegistryManifestChildrenTable {
  parent_id: number;
  child_id: number;
}

export interface RegistryTagsTable {
  id: Generated<number>;
  repository_id: number;
  name: string;
  manifest_id: number;
  created_at: number;
  /** When it was last pushed. */
  updated_at: number;
}

/** A blob that is being sent, in pieces that each lie in the storage: any server can go on with it. */
export interface RegistryUploadsTable {
  id: string;
  project_id: number;
  name: string;
  received: number;
  chunks: number;
  created_at: number;
  updated_at: number;
}

export interface RegistryUploadChunksTable {
  upload_id: string;
  number: number;
  size: number;
  /** Hexadecimal. */
  sha256: string;
  storage_key: string;
}

/** Whom a project keeps from pushing or deleting some of its images. */
export interface RegistryProtectionRulesTable {
  id: Generated<number>;
  project_id: number;
  kind: 'repository' | 'tag';
  /** Of the path of a repository, with stars; or of the name of a tag, an expression. */
  pattern: string;
  /** The least role for it; null where everybody may who may at all. */
  push_level: number | null;
  delete_level: number | null;
  created_at: number;
  updated_at: number;
}

/** When the images of a project were last cleaned up by its policy. */
export interface RegistryCleanupsTable {
  project_id: number;
  ran_at: number;
}

/** A file that no row has, or may come to have: it is removed once it is due. */
export interface DeletedRegistryFilesTable {
  storage_key: string;
  due_at: number;
}

export type RepositoryRow = Selectable<RegistryRepositoriesTable>;
export type BlobRow = Selectable<RegistryBlobsTable>;
export type ManifestRow = Selectable<RegistryManifestsTable>;
export type NewManifestRow = Insertable<RegistryManifestsTable>;
export type TagRow = Selectable<RegistryTagsTable>;
export type ProtectionRuleRow = Selectable<RegistryProtectionRulesTable>;
export type UploadRow = Selectable<RegistryUploadsTable>;
export type ChunkRow = Selectable<RegistryUploadChunksTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    registry_repositories: RegistryRepositoriesTable;
    registry_blobs: RegistryBlobsTable;
    registry_project_blobs: RegistryProjectBlobsTable;
    registry_manifests: RegistryManifestsTable;
    registry_manifest_blobs: RegistryManifestBlobsTable;
    registry_manifest_children: RegistryManifestChildrenTable;
    registry_tags: RegistryTagsTable;
    registry_uploads: RegistryUploadsTable;
    registry_upload_chunks: RegistryUploadChunksTable;
    registry_protection_rules: RegistryProtectionRulesTable;
    registry_cleanups: RegistryCleanupsTable;
    deleted_registry_files: DeletedRegistryFilesTable;
  }
}
