import type { Migration } from '../platform/database/migrator.ts';

/** Index of service accounts. */
export const serviceAccountList: Migration = {
  name: '0580-service-accounts',
  up: () => ["create index users_service_accounts on users (username, id) where kind = 'service_account'"],
};
