import type { Migration } from '../platform/database/migrator.ts';

/** Board lists of an iteration. */
export const iterationLists: Migration = {
  name: '1041-iteration-lists',
  up: () => [
    'alter table board_lists add column iteration_id bigint references iterations (id) on delete cascade',
    'create index board_lists_iteration on board_lists (iteration_id) where iteration_id is not null',
  ],
};
