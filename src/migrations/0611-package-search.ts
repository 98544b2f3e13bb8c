import type { Migration } from '../platform/database/migrator.ts';

/** Search index of package names. */
export const packageSearch: Migration = {
  name: '0611-package-search',
  up: (dialect) => dialect.search({ table: 'packages', columns: ['name'] }),
};
