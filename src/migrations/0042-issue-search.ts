import type { Migration } from '../platform/database/migrator.ts';

/** Search indexes of issues and milestones. */
export const issueSearch: Migration = {
  name: '0042-issue-search',
  up: (dialect) => [
    ...dialect.search({ table: 'issues', columns: ['title', 'description'] }),
    ...dialect.search({ table: 'milestones', columns: ['title', 'description'] }),
  ],
};
