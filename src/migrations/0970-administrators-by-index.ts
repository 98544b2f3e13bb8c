import type { Migration } from '../platform/database/migrator.ts';

/** Few accounts are administrators': whom to write to is found among those, and not among everybody. */
export const administratorsByIndex: Migration = {
  name: '0970-administrators-by-index',
  up: () => ['create index users_administrators on users (id) where admin = 1'],
};
