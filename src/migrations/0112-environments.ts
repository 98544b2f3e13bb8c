import type { Migration } from '../platform/database/migrator.ts';

const ofProject = 'project_id bigint not null references projects (id) on delete cascade';

/** Environments and deployments. */
export const environments: Migration = {
  name: '0112-environments',
  up: ({ id, text }) => [
    `create table environments (
      id ${id},
      ${ofProject},
      name ${text} not null,
      slug text not null,
      external_url text,
      tier text not null,
      state text not null default 'available',
      description text,
      auto_stop_setting text not null default 'always',
      auto_stop_at bigint,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    'create unique index environments_name on environments (project_id, name)',
    'create unique index environments_slug on environments (project_id, slug)',
    'create index environments_project on environments (project_id, id)',
    "create index environments_auto_stop on environments (auto_stop_at) where state = 'available'",

    `create table deployments (
      id ${id},
      iid integer not null,
      ${ofProject},
      environment_id bigint not null references environments (id) on delete cascade,
      ref ${text} not null,
      tag integer not null default 0,
      sha text not null,
      status text not null,
      user_id bigint references users (id) on delete set null,
      job_id bigint references ci_jobs (id) on delete set null,
      on_stop text,
      created_at bigint not null,
      updated_at bigint not null,
      finished_at bigint
    )`,
    'create unique index deployments_iid on deployments (project_id, iid)',
    'create unique index deployments_job on deployments (job_id) where job_id is not null',
    'create index deployments_project on deployments (project_id, id)',
    'create index deployments_environment on deployments (environment_id, id)',
    'create index deployments_status on deployments (project_id, status, id)',
    'create index deployments_created on deployments (project_id, created_at, id)',
    'create index deployments_updated on deployments (project_id, updated_at, id)',
    'create index deployments_finished on deployments (project_id, finished_at, id)',
    'create index deployments_user on deployments (user_id) where user_id is not null',
  ],
};
