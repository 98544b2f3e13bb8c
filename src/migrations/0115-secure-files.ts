import type { Migration } from '../platform/database/migrator.ts';

/** Secure files for jobs: keys, profiles, certificates. */
export const secureFiles: Migration = {
  name: '0115-secure-files',
  up: ({ id, text }) => [
    `create table secure_files (
      id ${id},
      project_id bigint not null references projects (id) on delete cascade,
      name ${text} not null,
      checksum text not null,
      content text not null,
      created_at bigint not null
    )`,
    'create unique index secure_files_name on secure_files (project_id, name)',
    'create index secure_files_project on secure_files (project_id, id)',
  ],
};
