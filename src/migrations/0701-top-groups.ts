import type { Migration } from '../platform/database/migrator.ts';

/**
 * An index to count top-level groups without reading them. It also contains the column of its condition; otherwise
 * SQLite uses the index of all groups, which it rates as equal, and reads every row.
 */
export const topGroups: Migration = {
  name: '0701-top-groups',
  up: () => [
    'drop index namespaces_top',
    `create index namespaces_top on namespaces (name, id, kind, parent_id)
      where kind = 'group' and parent_id is null`,
  ],
};
