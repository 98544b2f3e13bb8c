import type { Migration } from '../platform/database/migrator.ts';

/** Pull mirrors of projects. */
export const pullMirrors: Migration = {
  name: '0220-pull-mirrors',
  up: () => [
    `create table pull_mirrors (
      project_id bigint primary key references projects (id) on delete cascade,
      url text not null,
      encrypted_url text not null,
      known_hosts text not null default '',
      update_status text not null default 'none',
      failures integer not null default 0,
      last_error text,
      last_update_at bigint,
      last_update_started_at bigint,
      last_successful_update_at bigint,
      next_update_at bigint
    )`,
    'create index pull_mirrors_due on pull_mirrors (next_update_at) where next_update_at is not null',
  ],
};
