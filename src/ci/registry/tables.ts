import type { Generated, Insertable, Selectable } from 'kysely';

/** A container repository: a name under which images of a project are pushed. */
export interface RegistryRepositoriesTable {
  id: Generated<number>;
  project_id: number;
  /** The name after the project path; empty for the root repository of the project. */
  name: string;
  /** Pending operation. */
  status: 'delete_scheduled' | null;
  /** Start of the last run of the project's cleanup policy. */
  cleanup_started_at: number | null;
  /** Time of the last bulk tag deletion. */
  tags_deleted_at: number | null;
  created_at: number;
  updated_at: number;
}

/** Content-addressed blobs, stored once per instance. */
export interface RegistryBlobsTable {
  id: Generated<number>;
  /** `sha256:` and hexadecimal digits. */
  digest: string;
  size: number;
  storage_key: string;
  created_at: number;
}

/** Links blobs to the projects they were pushed to or mounted in. */
export interface RegistryProjectBlobsTable {
  project_id: number;
  blob_id: number;
  /** Last time the blob was needed; it is kept for a day after that even without a manifest. */
  touched_at: number;
}

/** An image manifest or an image index. */
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
  /** Byte for byte as pushed. */
  payload: string;
  size: number;
  /** Total size including all referenced blobs and manifests. */
  total_size: number;
  created_at: number;
  /** Time of the last push or of the last removed tag. */
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
  /** Time of the last push. */
  updated_at: number;
}

/** A blob upload in progress. Chunks are separate files in the storage, so any server can continue it. */
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

/** Rules that restrict pushing and deleting images of a project. */
export interface RegistryProtectionRulesTable {
  id: Generated<number>;
  project_id: number;
  kind: 'repository' | 'tag';
  /** Repository path with `*` wildcards, or a regular expression for tag names. */
  pattern: string;
  /** Minimum role; null if the rule adds no restriction. */
  push_level: number | null;
  delete_level: number | null;
  created_at: number;
  updated_at: number;
}

/** Last run of the cleanup policy of a project. */
export interface RegistryCleanupsTable {
  project_id: number;
  ran_at: number;
}

/** Files without a row, or whose row may never be committed. Removed once due. */
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
