import type { Migration } from '../platform/database/migrator.ts';

/** The accounts that programs act for, among people of whom there are many more. */
export const serviceAccountList: Migration = {
  name: '0580-service-accounts',
  up: () => ["create index users_service_accounts on users (username, id) where kind = 'service_account'"],
};
