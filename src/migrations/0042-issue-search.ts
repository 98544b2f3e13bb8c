import type { Migration } from '../platform/database/migrator.ts';
import { searchSchema } from '../platform/database/search-schema.ts';

/** Issues and milestones are found by parts of their texts. */
export const issueSearch: Migration = {
  name: '0042-issue-search',
  up: (dialect) => [
    ...searchSchema(dialect, { table: 'issues', columns: ['title', 'description'] }),
    ...searchSchema(dialect, { table: 'milestones', columns: ['title', 'description'] }),
  ],
};
