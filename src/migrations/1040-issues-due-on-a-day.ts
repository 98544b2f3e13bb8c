import type { Migration } from '../platform/database/migrator.ts';

/** Index of open issues by due date, for the notification on the day before. */
export const issuesDueOnADay: Migration = {
  name: '1040-issues-due-on-a-day',
  up: () => [
    `create index issues_due_on_a_day on issues (due_date, id) where state = 'opened' and due_date is not null`,
  ],
};
