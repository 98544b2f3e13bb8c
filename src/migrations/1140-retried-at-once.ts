import type { Migration } from '../platform/database/migrator.ts';

/** Tells a retried manual or delayed job, which starts at once, from one that a retry of its pipeline recreated. */
export const retriedAtOnce: Migration = {
  name: '1140-retried-at-once',
  up: () => ['alter table ci_jobs add column starts_at_once integer not null default 0'],
};
