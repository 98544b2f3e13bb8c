import type { Migration } from '../platform/database/migrator.ts';

/** The new head a rebase is about to push, which must not reset approvals like a push. */
export const rebasedHeads: Migration = {
  name: '1035-rebased-heads',
  up: () => ['alter table merge_requests add column rebased_sha text'],
};
