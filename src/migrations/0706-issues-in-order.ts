import type { Migration } from '../platform/database/migrator.ts';

/**
 * Adds epic, milestone and due date to the index by creation, so that filtered issues are skipped without reading their
 * rows.
 */
export const issuesInOrder: Migration = {
  name: '0706-issues-in-order',
  up: () => [
    'drop index issues_project_created',
    `create index issues_project_created on issues
      (project_id, created_at, id, confidential, state, milestone_id, epic_id, due_date)`,
  ],
};
