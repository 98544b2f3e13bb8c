import type { Migration } from '../platform/database/migrator.ts';

/** The last user who pushed to the source branch, and the intended result of a merge in progress. */
export const mergeRequestLanding: Migration = {
  name: '0091-merge-request-landing',
  up: () => [
    'alter table merge_requests add column source_pushed_by_id bigint',
    'alter table merge_requests add column landing text',
    "create index merge_requests_locked on merge_requests (id) where state = 'locked'",
    'create index merge_requests_merge_after on merge_requests (merge_after) where auto_merge = 1',
  ],
};
