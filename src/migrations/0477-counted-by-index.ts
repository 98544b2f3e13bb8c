import type { Migration } from '../platform/database/migrator.ts';

/**
 * Whom people meet in the list of users, and the personal tokens of everyone, to be counted without a look at each. What
 * the indexes are about is in them too: SQLite takes no index for enough that lacks a column of the query.
 */
export const countedByIndex: Migration = {
  name: '0477-counted-by-index',
  up: () => [
    "create index users_shown on users (id, state) where state not in ('blocked', 'ldap_blocked', 'banned')",
    'drop index access_tokens_personal',
    'create index access_tokens_personal on access_tokens (id, impersonation) where impersonation = 0',
  ],
};
