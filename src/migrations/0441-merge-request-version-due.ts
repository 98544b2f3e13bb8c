import type { Migration } from '../platform/database/migrator.ts';

/**
 * Marks merge requests that need a new version after being retargeted or reopened, in case the server stops before
 * creating it.
 */
export const mergeRequestVersionDue: Migration = {
  name: '0441-merge-request-version-due',
  up: () => ['alter table merge_requests add column version_due integer not null default 0'],
};
