import type { Migration } from '../platform/database/migrator.ts';

/** Texts of up to a million characters are indexed for search in pieces. */
export const longTexts: Migration = {
  name: '0645-long-texts',
  up: ({ searchInPieces }) => [
    ...['issues', 'epics', 'merge_requests', 'milestones', 'snippets'].flatMap((table) =>
      searchInPieces({ table, columns: ['title', 'description'] }),
    ),
    ...searchInPieces({ table: 'notes', columns: ['body'] }),
  ],
};
