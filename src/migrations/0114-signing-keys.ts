import type { Migration } from '../platform/database/migrator.ts';

/** The keys that sign job tokens. */
export const signingKeys: Migration = {
  name: '0114-signing-keys',
  up: ({ id }) => [
    `create table ci_signing_keys (
      id ${id},
      kid text not null,
      private_key text not null,
      created_at bigint not null
    )`,
    'create unique index ci_signing_keys_kid on ci_signing_keys (kid)',
  ],
};
