import type { Migration } from '../platform/database/migrator.ts';
import { searchSchema } from '../platform/database/search-schema.ts';

/** Comments are found by parts of what they say. */
export const noteSearch: Migration = {
  name: '0071-search',
  up: (dialect) => searchSchema(dialect, { table: 'notes', columns: ['body'] }),
};
