import type { Migration } from '../platform/database/migrator.ts';

/**
 * The groups at the top, counted without a look at each: what the index is about is in it too, or SQLite takes that of all
 * groups, which is as good to it, and reads them all.
 */
export const topGroups: Migration = {
  name: '0701-top-groups',
  up: () => [
    'drop index namespaces_top',
    `create index namespaces_top on namespaces (name, id, kind, parent_id)
      where kind = 'group' and parent_id is null`,
  ],
};
