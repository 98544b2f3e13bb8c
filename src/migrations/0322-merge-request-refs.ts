import type { Migration } from '../platform/database/migrator.ts';

/** Marks closed merge requests whose refs have been deleted. */
export const mergeRequestRefs: Migration = {
  name: '0322-merge-request-refs',
  up: () => [
    'alter table merge_requests add column refs_cleaned integer not null default 0',
    `create index merge_requests_old_refs on merge_requests (id)
      where refs_cleaned = 0 and state in ('closed', 'merged')`,
  ],
};
