import type { Migration } from '../platform/database/migrator.ts';

/** Uploads of groups, and an index of those whose project or group is deleted. */
export const groupUploads: Migration = {
  name: '0800-group-uploads',
  up: () => [
    'alter table uploads add column namespace_id bigint references namespaces (id) on delete set null',
    'create index uploads_namespace on uploads (namespace_id, id) where namespace_id is not null',
    'create index uploads_orphans on uploads (id) where project_id is null and namespace_id is null',
  ],
};
