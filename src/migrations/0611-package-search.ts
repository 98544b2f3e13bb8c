import type { Migration } from '../platform/database/migrator.ts';

/** Packages are found by a part of their name. */
export const packageSearch: Migration = {
  name: '0611-package-search',
  up: (dialect) => dialect.search({ table: 'packages', columns: ['name'] }),
};
