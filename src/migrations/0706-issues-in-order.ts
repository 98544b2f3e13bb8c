import type { Migration } from '../platform/database/migrator.ts';

/**
 * The index that issues are walked along has what tells an epic, a milestone or a day: no issue is looked up that is walked past.
 */
export const issuesInOrder: Migration = {
  name: '0706-issues-in-order',
  up: () => [
    'drop index issues_project_created',
    `create index issues_project_created on issues
      (project_id, created_at, id, confidential, state, milestone_id, epic_id, due_date)`,
  ],
};
