import type { Migration } from '../platform/database/migrator.ts';

/** What a rebase is about to make the head of a merge request, which is no push that would take approvals back. */
export const rebasedHeads: Migration = {
  name: '1035-rebased-heads',
  up: () => ['alter table merge_requests add column rebased_sha text'],
};
