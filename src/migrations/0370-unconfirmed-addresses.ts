import type { Migration } from '../platform/database/migrator.ts';

/** Whose next address this is: asked by whoever wants its letter once more. */
export const unconfirmedAddresses: Migration = {
  name: '0370-unconfirmed-addresses',
  up: () => [
    `create index users_unconfirmed_email on users (lower(unconfirmed_email)) where unconfirmed_email is not null`,
  ],
};
