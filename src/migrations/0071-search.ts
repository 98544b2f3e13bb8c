import type { Migration } from '../platform/database/migrator.ts';

/** Comments are found by parts of what they say. */
export const noteSearch: Migration = {
  name: '0071-search',
  up: (dialect) => dialect.search({ table: 'notes', columns: ['body'] }),
};
