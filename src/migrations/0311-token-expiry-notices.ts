import type { Migration } from '../platform/database/migrator.ts';

/** How many days before its end the owner of a token was last told of it. */
export const tokenExpiryNotices: Migration = {
  name: '0311-token-expiry-notices',
  up: () => ['alter table access_tokens add column expiry_told integer'],
};
