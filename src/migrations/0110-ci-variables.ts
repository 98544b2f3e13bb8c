import type { Migration } from '../platform/database/migrator.ts';

/** Variables of projects and groups, and of the instance when neither is set. */
export const ciVariables: Migration = {
  name: '0110-ci-variables',
  up: ({ id, text }) => [
    `create table ci_variables (
      id ${id},
      project_id bigint references projects (id) on delete cascade,
      namespace_id bigint references namespaces (id) on delete cascade,
      key ${text} not null,
      value text not null,
      variable_type text not null default 'env_var',
      protected integer not null default 0,
      masked integer not null default 0,
      hidden integer not null default 0,
      raw integer not null default 0,
      environment_scope ${text} not null default '*',
      description text,
      check (project_id is null or namespace_id is null)
    )`,
    `create unique index ci_variables_project on ci_variables (project_id, key, environment_scope)
      where project_id is not null`,
    `create unique index ci_variables_namespace on ci_variables (namespace_id, key, environment_scope)
      where namespace_id is not null`,
    `create unique index ci_variables_instance on ci_variables (key)
      where project_id is null and namespace_id is null`,
    // The planned variables of jobs are already in `options`; this column contains those set when a job is played.
    "update ci_jobs set variables = '[]'",
  ],
};
