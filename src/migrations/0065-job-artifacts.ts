import type { Migration } from '../platform/database/migrator.ts';

/** The keep flag of artifacts, variables from dotenv reports, and files whose rows are deleted. */
export const jobArtifacts: Migration = {
  name: '0065-job-artifacts',
  up: ({ text }) => [
    'alter table job_artifacts add column kept integer not null default 0',
    `create table job_dotenv_variables (
      job_id bigint not null references ci_jobs (id) on delete cascade,
      key ${text} not null,
      value text not null,
      primary key (job_id, key)
    )`,
    `create table deleted_artifact_files (
      storage_key ${text} primary key
    )`,
    "create index pipelines_successful on pipelines (project_id, ref, id) where status = 'success'",
  ],
};
