import type { Migration } from '../platform/database/migrator.ts';

/** What somebody did is listed and counted from an index that also says who may see it. */
export const eventsOfPeople: Migration = {
  name: '0420-events-of-people',
  up: () => [
    'create index events_author_shown on events (author_id, created_at, id, project_id, audience)',
    'drop index events_author',
  ],
};
