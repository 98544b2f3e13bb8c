import type { Migration } from '../platform/database/migrator.ts';

/** Container registry: repositories, tags, manifests, blobs and uploads in progress. */
export const containerRegistry: Migration = {
  name: '0660-container-registry',
  up: ({ id, text }) => [
    `create table registry_repositories (
      id ${id},
      project_id bigint not null references projects (id) on delete cascade,
      name ${text} not null,
      status text,
      cleanup_started_at bigint,
      tags_deleted_at bigint,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    'create unique index registry_repositories_name on registry_repositories (project_id, name)',
    'create index registry_repositories_of_project on registry_repositories (project_id, id)',

    `create table registry_blobs (
      id ${id},
      digest text not null,
      size bigint not null,
      storage_key text not null,
      created_at bigint not null
    )`,
    'create unique index registry_blobs_digest on registry_blobs (digest)',

    `create table registry_project_blobs (
      project_id bigint not null references projects (id) on delete cascade,
      blob_id bigint not null references registry_blobs (id),
      touched_at bigint not null,
      primary key (project_id, blob_id)
    )`,
    'create index registry_project_blobs_blob on registry_project_blobs (blob_id)',

    `create table registry_manifests (
      id ${id},
      repository_id bigint not null references registry_repositories (id) on delete cascade,
      digest text not null,
      media_type text not null,
      artifact_type text,
      config_digest text,
      subject_digest text,
      annotations text,
      payload text not null,
      size bigint not null,
      total_size bigint not null,
      created_at bigint not null,
      touched_at bigint not null
    )`,
    'create unique index registry_manifests_digest on registry_manifests (repository_id, digest)',
    `create index registry_manifests_subject on registry_manifests (repository_id, subject_digest, id)
      where subject_digest is not null`,
    'create index registry_manifests_touched on registry_manifests (touched_at, id)',

    `create table registry_manifest_blobs (
      manifest_id bigint not null references registry_manifests (id) on delete cascade,
      blob_id bigint not null references registry_blobs (id),
      project_id bigint not null references projects (id) on delete cascade,
      primary key (manifest_id, blob_id)
    )`,
    'create index registry_manifest_blobs_blob on registry_manifest_blobs (blob_id, project_id)',
    'create index registry_manifest_blobs_project on registry_manifest_blobs (project_id)',

    `create table registry_manifest_children (
      parent_id bigint not null references registry_manifests (id) on delete cascade,
      child_id bigint not null references registry_manifests (id) on delete cascade,
      primary key (parent_id, child_id)
    )`,
    'create index registry_manifest_children_child on registry_manifest_children (child_id)',

    `create table registry_tags (
      id ${id},
      repository_id bigint not null references registry_repositories (id) on delete cascade,
      name ${text} not null,
      manifest_id bigint not null references registry_manifests (id) on delete cascade,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    'create unique index registry_tags_name on registry_tags (repository_id, name)',
    'create index registry_tags_manifest on registry_tags (manifest_id)',
    'create index registry_tags_newest on registry_tags (repository_id, updated_at, id)',

    `create table registry_uploads (
      id text primary key,
      project_id bigint not null references projects (id) on delete cascade,
      name ${text} not null,
      received bigint not null,
      chunks integer not null,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    'create index registry_uploads_project on registry_uploads (project_id)',
    'create index registry_uploads_updated on registry_uploads (updated_at)',

    `create table registry_upload_chunks (
      upload_id text not null references registry_uploads (id) on delete cascade,
      number integer not null,
      size bigint not null,
      sha256 text not null,
      storage_key text not null,
      primary key (upload_id, number)
    )`,

    `create table registry_protection_rules (
      id ${id},
      project_id bigint not null references projects (id) on delete cascade,
      kind text not null,
      pattern ${text} not null,
      push_level integer,
      delete_level integer,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    'create unique index registry_protection_rules_pattern on registry_protection_rules (project_id, kind, pattern)',
    'create index registry_protection_rules_of_project on registry_protection_rules (project_id, kind, id)',

    `create table registry_cleanups (
      project_id bigint primary key references projects (id) on delete cascade,
      ran_at bigint not null
    )`,

    'create table deleted_registry_files (storage_key text primary key, due_at bigint not null)',
    'create index deleted_registry_files_due on deleted_registry_files (due_at)',

    'alter table projects add column container_registry_size bigint not null default 0',
  ],
};
