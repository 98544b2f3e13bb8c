import type { Migration } from '../platform/database/migrator.ts';

/** Helm charts with their channels and metadata. */
export const helm: Migration = {
  name: '0880-helm',
  up: ({ text }) => [
    `create table helm_files (
      file_id bigint primary key references package_files (id) on delete cascade,
      project_id bigint not null references projects (id) on delete cascade,
      channel ${text} not null,
      file_name ${text} not null,
      metadata text not null
    )`,
    'create index helm_files_name on helm_files (project_id, channel, file_name, file_id)',
  ],
};
