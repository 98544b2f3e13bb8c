import type { Migration } from '../platform/database/migrator.ts';

/** GitLab Pages: published sites, deployments and custom domains. */
export const pages: Migration = {
  name: '0655-pages',
  up: ({ id, text }) => [
    // `problem` is the reason why the last publishing job failed.
    `create table pages_sites (
      project_id bigint primary key references projects (id) on delete cascade,
      unique_domain_enabled integer not null,
      https_only integer not null,
      primary_domain text,
      problem text,
      problem_job_id bigint references ci_jobs (id) on delete set null,
      updated_at bigint not null
    )`,
    'create index pages_sites_problem_job on pages_sites (problem_job_id) where problem_job_id is not null',

    // The pipeline number outlives the pipeline: it tells which of two jobs has the newer site.
    `create table pages_deployments (
      id ${id},
      project_id bigint not null references projects (id) on delete cascade,
      job_id bigint references ci_jobs (id) on delete set null,
      pipeline_number bigint not null,
      path_prefix ${text} not null,
      root_directory text not null,
      storage_key text not null,
      size bigint not null,
      file_count integer not null,
      expires_at bigint,
      created_at bigint not null
    )`,
    'create unique index pages_deployments_prefix on pages_deployments (project_id, path_prefix)',
    'create index pages_deployments_job on pages_deployments (job_id) where job_id is not null',
    'create index pages_deployments_expiry on pages_deployments (expires_at) where expires_at is not null',

    'create table deleted_pages_files (storage_key text primary key)',

    `create table pages_domains (
      id ${id},
      project_id bigint not null references projects (id) on delete cascade,
      domain ${text} not null,
      verification_code text not null,
      verified_at bigint,
      enabled_until bigint,
      remove_at bigint,
      auto_ssl_enabled integer not null,
      certificate text,
      encrypted_key text,
      certificate_valid_until bigint,
      created_at bigint not null
    )`,
    'create unique index pages_domains_domain on pages_domains (domain)',
    'create index pages_domains_project on pages_domains (project_id, id)',
    'create index pages_domains_due on pages_domains (enabled_until, id)',
    'create index pages_domains_removal on pages_domains (remove_at) where remove_at is not null',
  ],
};
