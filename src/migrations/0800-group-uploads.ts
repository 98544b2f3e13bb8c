import type { Migration } from '../platform/database/migrator.ts';

/** Files of the texts of groups, and where those are found whose project or group is gone. */
export const groupUploads: Migration = {
  name: '0800-group-uploads',
  up: () => [
    'alter table uploads add column namespace_id bigint references namespaces (id) on delete set null',
    'create index uploads_namespace on uploads (namespace_id, id) where namespace_id is not null',
    'create index uploads_orphans on uploads (id) where project_id is null and namespace_id is null',
  ],
};
