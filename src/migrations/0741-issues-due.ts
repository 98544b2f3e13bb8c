import type { Migration } from '../platform/database/migrator.ts';

/** The index that finds what is due has what lists are ordered by: none of it is looked up to be sorted. */
export const issuesDue: Migration = {
  name: '0741-issues-due',
  up: () => [
    'drop index issues_by_due_asc',
    `create index issues_by_due_asc on issues
      (project_id, (case when due_date is null then 1 else 0 end), due_date asc, id desc, confidential, state, created_at)`,
  ],
};
