import type { Migration } from '../platform/database/migrator.ts';

/** Open issues by the day that they are due, wherever they are: whoever takes part in one is told the day before. */
export const issuesDueOnADay: Migration = {
  name: '1040-issues-due-on-a-day',
  up: () => [
    `create index issues_due_on_a_day on issues (due_date, id) where state = 'opened' and due_date is not null`,
  ],
};
