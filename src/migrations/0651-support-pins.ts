import type { Migration } from '../platform/database/migrator.ts';

/** The number by which somebody shows who help them that an account is theirs. */
export const supportPins: Migration = {
  name: '0651-support-pins',
  up: () => [
    `create table user_support_pins (
      user_id bigint primary key references users (id) on delete cascade,
      pin text not null,
      expires_at bigint not null
    )`,
  ],
};
