import type { Migration } from '../platform/database/migrator.ts';

/** Search indexes are updated once per commit instead of once per row. */
export const searchAtCommit: Migration = {
  name: '0670-search-at-commit',
  up: ({ searchAtCommit: atCommit }) => [
    ...['issues', 'epics', 'merge_requests', 'milestones', 'snippets'].flatMap((table) =>
      atCommit({ table, columns: ['title', 'description'] }),
    ),
    ...atCommit({ table: 'notes', columns: ['body'] }),
  ],
};
