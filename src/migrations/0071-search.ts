import type { Migration } from '../platform/database/migrator.ts';

/** Search index of notes. */
export const noteSearch: Migration = {
  name: '0071-search',
  up: (dialect) => dialect.search({ table: 'notes', columns: ['body'] }),
};
