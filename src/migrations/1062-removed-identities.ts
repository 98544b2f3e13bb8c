import type { Migration } from '../platform/database/migrator.ts';

/** Provider identities of deleted accounts: a user who signs in again needs approval by an administrator. */
export const removedIdentities: Migration = {
  name: '1062-removed-identities',
  up: ({ text }) => [
    `create table removed_identities (
      provider ${text} not null,
      extern_uid_digest ${text} not null,
      removed_at bigint not null,
      primary key (provider, extern_uid_digest)
    )`,
  ],
};
