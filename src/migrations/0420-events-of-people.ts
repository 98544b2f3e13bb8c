import type { Migration } from '../platform/database/migrator.ts';

/** Index to list and count the events of a user, including who can see them. */
export const eventsOfPeople: Migration = {
  name: '0420-events-of-people',
  up: () => [
    'create index events_author_shown on events (author_id, created_at, id, project_id, audience)',
    'drop index events_author',
  ],
};
