import type { Migration } from '../platform/database/migrator.ts';

/** Indexes to count a user's events per project and outside of projects, including who can see them. */
export const eventsByPlace: Migration = {
  name: '0840-events-by-place',
  up: () => [
    'create index events_places on events (author_id, project_id, audience, action) where project_id is not null',
    'drop index events_contributions',
    'create index events_outside on events (author_id, project_id) where project_id is null',
  ],
};
