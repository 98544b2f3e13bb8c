import type { Migration } from '../platform/database/migrator.ts';

/** Whether somebody commented on something is asked whenever they look at it. */
export const commenters: Migration = {
  name: '0990-commenters',
  up: () => ['drop index notes_author', 'create index notes_author on notes (author_id, noteable_type, noteable_id)'],
};
