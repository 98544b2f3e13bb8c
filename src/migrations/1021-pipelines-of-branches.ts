import type { Migration } from '../platform/database/migrator.ts';

/** Index to find merge request pipelines by source branch, like branch pipelines. */
export const pipelinesOfBranches: Migration = {
  name: '1021-pipelines-of-branches',
  up: () => [
    'alter table pipelines add column source_branch text',
    `update pipelines set source_branch =
      (select source_branch from merge_requests where merge_requests.id = pipelines.merge_request_id)
      where merge_request_id is not null`,
    ...[
      "pipelines_of_branch on pipelines (project_id, coalesce(source_branch, ref), id) where source <> 'parent_pipeline'",
      "child_pipelines_of_branch on pipelines (project_id, coalesce(source_branch, ref), id) where source = 'parent_pipeline'",
    ].map((index) => `create index ${index}`),
  ],
};
