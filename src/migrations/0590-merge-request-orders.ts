import type { Migration, MigrationDialect } from '../platform/database/migrator.ts';

/** Copies the environment and the merge request state to deployment_merge_requests, whichever of them changes. */
const copies = (dialect: MigrationDialect): string[] => [
  'alter table deployment_merge_requests add column environment_id bigint',
  "alter table deployment_merge_requests add column request_state text not null default 'merged'",
  `update deployment_merge_requests set
    environment_id = (select d.environment_id from deployments d where d.id = deployment_merge_requests.deployment_id),
    request_state = (select r.state from merge_requests r where r.id = deployment_merge_requests.merge_request_id)`,
  ...dialect.trigger({
    name: 'deployment_merge_requests_copies',
    on: 'deployment_merge_requests',
    event: 'insert',
    when: 'new.environment_id is null',
    change: `update deployment_merge_requests set
      environment_id = (select environment_id from deployments where id = new.deployment_id),
      request_state = (select state from merge_requests where id = new.merge_request_id)
      where deployment_id = new.deployment_id and merge_request_id = new.merge_request_id;`,
  }),
  ...dialect.trigger({
    name: 'merge_requests_deployed_state',
    on: 'merge_requests',
    event: 'update of state',
    when: 'old.state <> new.state',
    change: 'update deployment_merge_requests set request_state = new.state where merge_request_id = new.id;',
  }),
];

/**
 * Sorted by title in descending order, all drafts come first, which are open: lists of merged ones had to skip them. An
 * index of the few merge requests deployed before their creation gives the starting point for lists deployed before a
 * time. Merge requests deployed to an environment are read from an index with the state.
 */
export const mergeRequestOrders: Migration = {
  name: '0590-merge-request-orders',
  up: (dialect) => [
    'create index merge_requests_project_state_title on merge_requests (project_id, state, lower(title), id)',
    // With the second time, SQLite rates it no worse than the index of all merge requests by creation.
    `create index merge_requests_deployed_early on merge_requests (project_id, created_at, first_deployed_at)
      where first_deployed_at < created_at`,
    ...copies(dialect),
    'drop index deployment_merge_requests_of',
    `create index deployment_merge_requests_of
      on deployment_merge_requests (merge_request_id, environment_id, deployment_id)`,
    `create index deployment_merge_requests_environment
      on deployment_merge_requests (environment_id, request_state, merge_request_id)`,
  ],
};
