import type { Migration } from '../platform/database/migrator.ts';

/** Indexes for project lists that grow over the years, for each filter and order. */
export const listsOfAProject: Migration = {
  name: '0830-lists-of-a-project',
  up: (dialect) => [
    'create index environments_state on environments (project_id, state, id)',
    ...dialect.search({ table: 'environments', columns: ['name'] }),
    // Without statistics on an expression index, PostgreSQL assumes that every word is rare.
    ...(dialect.engine === 'postgres' ? ['analyze environments'] : []),
    'create index deployments_ref on deployments (project_id, ref, id)',
    'create index deployments_of_environment on deployments (environment_id, status, id)',
    // Includes the columns used by nearly every package list, so that packages are counted from the index.
    'create index packages_type on packages (project_id, package_type, id, status, version)',
    'create index packages_status on packages (project_id, status, id, version)',
    'drop index packages_by_version',
    'create index packages_by_version on packages (project_id, version, id, status)',
    'create index releases_updated on releases (project_id, updated_at, id)',
    `create index notes_unresolved on notes (noteable_id, id)
      where noteable_type = 'MergeRequest' and system = 0 and type is not null and resolved_at is null`,
    'drop index todos_user',
    'create index todos_user on todos (user_id, state, id, target_type, action)',
    'drop index todos_author',
    'create index todos_author on todos (author_id, user_id, state, id)',
    'drop index todos_project',
    'create index todos_project on todos (project_id, user_id, state, id)',
    'drop index todos_namespace',
    'create index todos_namespace on todos (namespace_id, user_id, state, id)',
    'create index audit_events_of_time on audit_events (entity_type, entity_id, created_at, id)',
    `create index webhook_deliveries_unsuccessful on webhook_deliveries (webhook_id, id)
      where (response_status is null or response_status >= 300)`,
  ],
};
