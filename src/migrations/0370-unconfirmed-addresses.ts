import type { Migration } from '../platform/database/migrator.ts';

/** Index of unconfirmed addresses, to resend the confirmation e-mail. */
export const unconfirmedAddresses: Migration = {
  name: '0370-unconfirmed-addresses',
  up: () => [
    `create index users_unconfirmed_email on users (lower(unconfirmed_email)) where unconfirmed_email is not null`,
  ],
};
