import type { Migration } from '../platform/database/migrator.ts';

/** Reassignment of imported placeholder users to real users, with its status. */
export const placeholderReassignments: Migration = {
  name: '0331-placeholder-reassignments',
  up: () => [
    "alter table import_source_users add column status text not null default 'pending_reassignment'",
    'alter table import_source_users add column reassign_to_id bigint references users (id) on delete set null',
    `create index import_source_users_reassigned on import_source_users (reassign_to_id, id)
      where reassign_to_id is not null`,
  ],
};
