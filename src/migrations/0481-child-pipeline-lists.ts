import type { Migration } from '../platform/database/migrator.ts';

/** Indexes for lists of child pipelines. */
export const childPipelineLists: Migration = {
  name: '0481-child-pipeline-lists',
  up: () =>
    [
      'child_pipelines_status on pipelines (project_id, status, id)',
      'child_pipelines_ref on pipelines (project_id, ref, id)',
      'child_pipelines_updated on pipelines (project_id, updated_at, id)',
      'child_pipelines_user on pipelines (project_id, user_id, id)',
    ].map((index) => `create index ${index} where source = 'parent_pipeline'`),
};
