import type { Migration } from '../platform/database/migrator.ts';

/** Project lists leave out child pipelines, which are listed with the job that started them. */
const listed = "where source <> 'parent_pipeline'";

/** Indexes for lists of pipelines and jobs, and for the queries of a pipeline about earlier ones. */
export const pipelineAndJobLists: Migration = {
  name: '0480-pipeline-and-job-lists',
  up: () => [
    'drop index pipelines_status',
    'drop index pipelines_updated',
    `create index pipelines_listed on pipelines (project_id, id, created_at, updated_at) ${listed}`,
    `create index pipelines_status on pipelines (project_id, status, id) ${listed}`,
    `create index pipelines_updated on pipelines (project_id, updated_at, id) ${listed}`,
    `create index pipelines_created on pipelines (project_id, created_at, id) ${listed}`,
    `create index pipelines_listed_ref on pipelines (project_id, ref, id) ${listed}`,
    `create index pipelines_of_user on pipelines (project_id, user_id, id) ${listed}`,
    'create index pipelines_source on pipelines (project_id, source, id)',
    `create index pipelines_name on pipelines (project_id, name, id) ${listed} and name is not null`,
    'create index pipelines_with_errors on pipelines (project_id, id) where yaml_errors is not null',
    'create index pipelines_locked on pipelines (project_id, ref, id) where locked = 1',
    `create index pipelines_under_way on pipelines (project_id, ref, id)
      where status not in ('success', 'failed', 'canceled', 'skipped')`,
    'drop index ci_jobs_manager',
    'create index ci_jobs_manager on ci_jobs (runner_manager_id, id) where runner_manager_id is not null',
    'create index ci_jobs_ref on ci_jobs (project_id, ref, id)',
  ],
};
