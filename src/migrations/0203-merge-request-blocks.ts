import type { Migration } from '../platform/database/migrator.ts';

/** Merge request dependencies: those that must be merged before others. */
export const mergeRequestBlocks: Migration = {
  name: '0203-merge-request-blocks',
  up: ({ id }) => [
    `create table merge_request_blocks (
      id ${id},
      blocking_id bigint not null references merge_requests (id) on delete cascade,
      blocked_id bigint not null references merge_requests (id) on delete cascade
    )`,
    'create unique index merge_request_blocks_pair on merge_request_blocks (blocked_id, blocking_id)',
    'create index merge_request_blocks_blocking on merge_request_blocks (blocking_id)',
  ],
};
