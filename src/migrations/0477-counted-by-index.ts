import type { Migration } from '../platform/database/migrator.ts';

/**
 * Indexes to count the users visible in the user list, and all personal access tokens, without reading the rows. They
 * also contain the column of their condition: SQLite uses an index as covering only if it has all columns of the query.
 */
export const countedByIndex: Migration = {
  name: '0477-counted-by-index',
  up: () => [
    "create index users_shown on users (id, state) where state not in ('blocked', 'ldap_blocked', 'banned')",
    'drop index access_tokens_personal',
    'create index access_tokens_personal on access_tokens (id, impersonation) where impersonation = 0',
  ],
};
