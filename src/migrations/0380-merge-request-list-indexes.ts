import type { Migration } from '../platform/database/migrator.ts';

/** Indexes for lists of drafts, and of merge requests deployed to an environment. */
export const mergeRequestListIndexes: Migration = {
  name: '0380-merge-request-list-indexes',
  up: () => [
    `create index merge_requests_drafts on merge_requests (project_id, state, created_at, id)
      where draft = 1 or substr(lower(title), 1, 8) = 'draft - '`,
    'create index environments_by_name on environments (name)',
  ],
};
