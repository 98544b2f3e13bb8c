import type { Migration } from '../platform/database/migrator.ts';

/** Index of the few administrators, to find the recipients of notifications. */
export const administratorsByIndex: Migration = {
  name: '0970-administrators-by-index',
  up: () => ['create index users_administrators on users (id) where admin = 1'],
};
