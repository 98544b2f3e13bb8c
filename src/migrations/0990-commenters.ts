import type { Migration } from '../platform/database/migrator.ts';

/** Index to check whether a user has commented on an object, which happens on every view. */
export const commenters: Migration = {
  name: '0990-commenters',
  up: () => ['drop index notes_author', 'create index notes_author on notes (author_id, noteable_type, noteable_id)'],
};
