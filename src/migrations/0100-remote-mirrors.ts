import type { Migration } from '../platform/database/migrator.ts';

/** Push mirrors and pull mirrors. */
export const remoteMirrors: Migration = {
  name: '0100-remote-mirrors',
  up: ({ id }) => [
    `create table remote_mirrors (
      id ${id},
      project_id bigint not null references projects (id) on delete cascade,
      enabled integer not null,
      url text not null,
      encrypted_url text not null,
      auth_method text not null,
      encrypted_private_key text,
      public_key text,
      known_hosts text not null default '',
      only_protected_branches integer not null,
      keep_divergent_refs integer not null,
      mirror_branch_regex text,
      update_status text not null default 'none',
      failures integer not null default 0,
      last_error text,
      last_update_at bigint,
      last_update_started_at bigint,
      last_successful_update_at bigint,
      created_at bigint not null
    )`,
    'create index remote_mirrors_project on remote_mirrors (project_id, id)',
  ],
};
