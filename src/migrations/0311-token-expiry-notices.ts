import type { Migration } from '../platform/database/migrator.ts';

/** For how many days before its expiry the owner of a token was last notified. */
export const tokenExpiryNotices: Migration = {
  name: '0311-token-expiry-notices',
  up: () => ['alter table access_tokens add column expiry_told integer'],
};
