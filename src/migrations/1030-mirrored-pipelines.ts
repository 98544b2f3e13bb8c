import type { Migration } from '../platform/database/migrator.ts';

/** Pipelines of other projects whose status is mirrored by bridge jobs. */
export const mirroredPipelines: Migration = {
  name: '1030-mirrored-pipelines',
  up: () => [
    `create table mirrored_pipelines (
      job_id bigint not null primary key references ci_jobs (id) on delete cascade,
      pipeline_id bigint not null references pipelines (id) on delete cascade
    )`,
    'create index mirrored_pipelines_pipeline on mirrored_pipelines (pipeline_id)',
  ],
};
