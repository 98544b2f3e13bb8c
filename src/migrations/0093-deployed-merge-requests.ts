import type { Migration } from '../platform/database/migrator.ts';

/** Links deployments to the merge requests they contain. */
export const deployedMergeRequests: Migration = {
  name: '0093-deployed-merge-requests',
  up: () => [
    `create table deployment_merge_requests (
      deployment_id bigint not null references deployments (id) on delete cascade,
      merge_request_id bigint not null references merge_requests (id) on delete cascade,
      primary key (deployment_id, merge_request_id)
    )`,
    'create index deployment_merge_requests_of on deployment_merge_requests (merge_request_id, deployment_id)',
  ],
};
