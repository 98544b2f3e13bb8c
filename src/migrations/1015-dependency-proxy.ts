import type { Migration } from '../platform/database/migrator.ts';

/** Dependency proxy: settings of groups, cached manifests with tags, and blobs. */
export const dependencyProxy: Migration = {
  name: '1015-dependency-proxy',
  up: ({ id, text }) => [
    `create table dependency_proxy_settings (
      group_id bigint primary key references namespaces (id) on delete cascade,
      enabled integer not null,
      identity text,
      secret text,
      ttl_enabled integer not null,
      ttl integer not null,
      created_at bigint not null,
      updated_at bigint not null
    )`,

    `create table dependency_proxy_manifests (
      id ${id},
      group_id bigint not null references namespaces (id) on delete cascade,
      image ${text} not null,
      digest text not null,
      media_type text not null,
      payload text not null,
      size bigint not null,
      created_at bigint not null,
      read_at bigint not null
    )`,
    'create unique index dependency_proxy_manifests_digest on dependency_proxy_manifests (group_id, image, digest)',
    'create index dependency_proxy_manifests_of_group on dependency_proxy_manifests (group_id, id)',
    'create index dependency_proxy_manifests_read on dependency_proxy_manifests (group_id, read_at)',

    `create table dependency_proxy_tags (
      group_id bigint not null references namespaces (id) on delete cascade,
      image ${text} not null,
      name ${text} not null,
      manifest_id bigint not null references dependency_proxy_manifests (id) on delete cascade,
      primary key (group_id, image, name)
    )`,
    'create index dependency_proxy_tags_manifest on dependency_proxy_tags (manifest_id)',

    `create table dependency_proxy_blobs (
      id ${id},
      group_id bigint references namespaces (id) on delete set null,
      digest text not null,
      size bigint not null,
      storage_key text not null,
      created_at bigint not null,
      read_at bigint not null
    )`,
    'create unique index dependency_proxy_blobs_digest on dependency_proxy_blobs (group_id, digest)',
    'create index dependency_proxy_blobs_of_group on dependency_proxy_blobs (group_id, id)',
    'create index dependency_proxy_blobs_read on dependency_proxy_blobs (group_id, read_at)',
    'create index dependency_proxy_blobs_loose on dependency_proxy_blobs (id) where group_id is null',
  ],
};
