import type { Migration } from '../platform/database/migrator.ts';

/** Support PINs, with which users prove the ownership of their account. */
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
