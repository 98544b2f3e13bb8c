import type { Migration } from '../platform/database/migrator.ts';

/** A merge request with another target, or open again, is owed a version: kept with it, should the server stop before. */
export const mergeRequestVersionDue: Migration = {
  name: '0441-merge-request-version-due',
  up: () => ['alter table merge_requests add column version_due integer not null default 0'],
};
