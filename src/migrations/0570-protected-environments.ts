import type { Migration } from '../platform/database/migrator.ts';

/**
 * Protected environments with their access levels, required approvals and given approvals; cluster data of
 * environments.
 */
export const protectedEnvironments: Migration = {
  name: '0570-protected-environments',
  up: ({ id, text }) => [
    `create table protected_environments (
      id ${id},
      project_id bigint references projects (id) on delete cascade,
      namespace_id bigint references namespaces (id) on delete cascade,
      name ${text} not null,
      required_approval_count integer not null default 0,
      created_at bigint not null,
      updated_at bigint not null,
      check ((namespace_id is null) <> (project_id is null))
    )`,
    `create unique index protected_environments_project on protected_environments (project_id, name)
      where project_id is not null`,
    `create unique index protected_environments_namespace on protected_environments (namespace_id, name)
      where namespace_id is not null`,

    `create table protected_environment_grants (
      id ${id},
      protected_environment_id bigint not null references protected_environments (id) on delete cascade,
      action text not null,
      access_level integer,
      user_id bigint references users (id) on delete cascade,
      group_id bigint references namespaces (id) on delete cascade,
      group_inheritance_type integer not null default 0,
      required_approvals integer not null default 1
    )`,
    'create index protected_environment_grants_rule on protected_environment_grants (protected_environment_id)',
    `create index protected_environment_grants_user on protected_environment_grants (user_id)
      where user_id is not null`,
    `create index protected_environment_grants_group on protected_environment_grants (group_id)
      where group_id is not null`,

    `create table deployment_approvals (
      id ${id},
      deployment_id bigint not null references deployments (id) on delete cascade,
      user_id bigint not null references users (id) on delete cascade,
      grant_id bigint references protected_environment_grants (id) on delete set null,
      status text not null,
      comment text,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    'create unique index deployment_approvals_deployment on deployment_approvals (deployment_id, user_id)',
    'create index deployment_approvals_user on deployment_approvals (user_id)',
    'create index deployment_approvals_grant on deployment_approvals (grant_id) where grant_id is not null',

    'alter table environments add column kubernetes_namespace text',
    'alter table environments add column flux_resource_path text',
  ],
};
