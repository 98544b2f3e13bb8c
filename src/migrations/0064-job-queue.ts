import type { Migration } from '../platform/database/migrator.ts';

const ofProject = 'project_id bigint not null references projects (id) on delete cascade';

/** Jobs waiting for a runner, logs of running jobs, and the job token allowlists of projects. */
export const jobQueue: Migration = {
  name: '0064-job-queue',
  up: ({ id, text, blob }) => [
    `create table pending_jobs (
      job_id bigint primary key references ci_jobs (id) on delete cascade,
      ${ofProject},
      protected integer not null,
      tag_list ${text} not null,
      instance_runners integer not null default 1,
      group_runners integer not null default 1
    )`,
    'create index pending_jobs_tags on pending_jobs (tag_list, job_id)',
    'create index pending_jobs_project on pending_jobs (project_id, job_id)',
    `insert into pending_jobs (job_id, project_id, protected, tag_list)
      select id, project_id, protected, tag_list from ci_jobs where status = 'pending' and kind = 'build'`,
    "create index ci_jobs_running on ci_jobs (project_id, runner_id) where status in ('running', 'canceling')",

    `create table job_log_chunks (
      job_id bigint not null references ci_jobs (id) on delete cascade,
      start bigint not null,
      size integer not null,
      bytes ${blob} not null,
      primary key (job_id, start)
    )`,

    `create table job_token_allowlist (
      id ${id},
      ${ofProject},
      target_project_id bigint references projects (id) on delete cascade,
      target_group_id bigint references namespaces (id) on delete cascade,
      created_at bigint not null
    )`,
    `create unique index job_token_allowlist_project on job_token_allowlist (project_id, target_project_id)
      where target_project_id is not null`,
    `create unique index job_token_allowlist_group on job_token_allowlist (project_id, target_group_id)
      where target_group_id is not null`,
    `create index job_token_allowlist_of_project on job_token_allowlist (target_project_id)
      where target_project_id is not null`,
    `create index job_token_allowlist_of_group on job_token_allowlist (target_group_id)
      where target_group_id is not null`,
  ],
};
