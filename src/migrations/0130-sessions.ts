import type { Migration } from '../platform/database/migrator.ts';

/** Browser sessions of signed-in users. */
export const sessions: Migration = {
  name: '0130-sessions',
  up: ({ id }) => [
    `create table sessions (
      id ${id},
      user_id bigint not null references users (id) on delete cascade,
      digest text not null,
      ip text not null,
      user_agent text not null,
      last_used_at bigint not null,
      expires_at bigint not null,
      created_at bigint not null
    )`,
    'create unique index sessions_digest on sessions (digest)',
    'create index sessions_user on sessions (user_id, id)',
    'create index sessions_expiry on sessions (expires_at)',
  ],
};
