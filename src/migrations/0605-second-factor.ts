import type { Migration } from '../platform/database/migrator.ts';

/** Second factors of users. */
export const secondFactor: Migration = {
  name: '0605-second-factor',
  up: ({ id, text }) => [
    `create table second_factors (
      id ${id},
      user_id bigint not null unique references users (id) on delete cascade,
      encrypted_key ${text} not null,
      last_step bigint not null,
      failed_attempts integer not null default 0,
      locked_until bigint,
      created_at bigint not null
    )`,
    `create table recovery_codes (
      id ${id},
      user_id bigint not null references users (id) on delete cascade,
      digest ${text} not null,
      unique (user_id, digest)
    )`,
  ],
};
