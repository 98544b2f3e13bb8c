import type { Migration } from '../platform/database/migrator.ts';

/** Feature flags of projects with their strategies, scopes and client tokens. */
export const featureFlags: Migration = {
  name: '0610-feature-flags',
  up: (dialect) => [
    `create table feature_flags (
      id ${dialect.id},
      project_id bigint not null references projects (id) on delete cascade,
      name ${dialect.text} not null,
      description text,
      active integer not null,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    'create unique index feature_flags_name on feature_flags (project_id, name)',
    'create index feature_flags_active on feature_flags (project_id, active, name)',

    `create table feature_flag_user_lists (
      id ${dialect.id},
      project_id bigint not null references projects (id) on delete cascade,
      iid bigint not null,
      name ${dialect.text} not null,
      user_xids text not null,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    'create unique index feature_flag_user_lists_iid on feature_flag_user_lists (project_id, iid)',
    'create unique index feature_flag_user_lists_name on feature_flag_user_lists (project_id, name)',
    'create index feature_flag_user_lists_project on feature_flag_user_lists (project_id, id)',
    ...dialect.search({ table: 'feature_flag_user_lists', columns: ['name'] }),

    // A user list cannot be deleted while a strategy uses it; both are deleted with their project.
    `create table feature_flag_strategies (
      id ${dialect.id},
      flag_id bigint not null references feature_flags (id) on delete cascade,
      name text not null,
      parameters text not null,
      user_list_id bigint references feature_flag_user_lists (id)
    )`,
    'create index feature_flag_strategies_flag on feature_flag_strategies (flag_id, id)',
    `create index feature_flag_strategies_list on feature_flag_strategies (user_list_id)
      where user_list_id is not null`,

    `create table feature_flag_scopes (
      id ${dialect.id},
      strategy_id bigint not null references feature_flag_strategies (id) on delete cascade,
      environment_scope ${dialect.text} not null
    )`,
    'create index feature_flag_scopes_strategy on feature_flag_scopes (strategy_id, id)',

    `create table feature_flag_clients (
      project_id bigint primary key references projects (id) on delete cascade,
      token_digest text not null,
      encrypted_token text not null
    )`,
  ],
};
