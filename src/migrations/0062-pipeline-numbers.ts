import type { Migration } from '../platform/database/migrator.ts';

/** Pipeline IIDs are assigned like those of other items; indexes for pipeline lists. */
export const pipelineNumbers: Migration = {
  name: '0062-pipeline-numbers',
  up: () => [
    `insert into internal_ids (project_id, namespace_id, kind, last_value)
      select project_id, null, 'pipelines', max(iid) from pipelines group by project_id`,
    'create index pipelines_project on pipelines (project_id, id)',
    'create index ci_jobs_name on ci_jobs (pipeline_id, name)',
  ],
};
