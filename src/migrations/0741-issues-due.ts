import type { Migration } from '../platform/database/migrator.ts';

/** The due date index contains the list order, so that rows are not read for sorting. */
export const issuesDue: Migration = {
  name: '0741-issues-due',
  up: () => [
    'drop index issues_by_due_asc',
    `create index issues_by_due_asc on issues
      (project_id, (case when due_date is null then 1 else 0 end), due_date asc, id desc, confidential, state, created_at)`,
  ],
};
