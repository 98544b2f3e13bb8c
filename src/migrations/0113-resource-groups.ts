import type { Migration } from '../platform/database/migrator.ts';

/** Resource groups, and the jobs waiting for or holding them. */
export const resourceGroups: Migration = {
  name: '0113-resource-groups',
  up: ({ id, text }) => [
    `create table resource_groups (
      id ${id},
      project_id bigint not null references projects (id) on delete cascade,
      key ${text} not null,
      process_mode text not null default 'unordered',
      created_at bigint not null,
      updated_at bigint not null
    )`,
    'create unique index resource_groups_key on resource_groups (project_id, key)',
    'create index resource_groups_project on resource_groups (project_id, id)',
    `create table resource_group_jobs (
      job_id bigint primary key references ci_jobs (id) on delete cascade,
      resource_group_id bigint not null references resource_groups (id) on delete cascade,
      holds integer not null default 0
    )`,
    'create index resource_group_jobs_group on resource_group_jobs (resource_group_id, job_id)',
    // Enforces, even under concurrency, that only one job holds a resource group.
    'create unique index resource_group_jobs_holder on resource_group_jobs (resource_group_id) where holds = 1',
  ],
};
