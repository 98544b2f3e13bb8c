import type { Migration } from '../platform/database/migrator.ts';

/**
 * The epic an issue was promoted to, so that it is promoted only once. If the epic is deleted, the issue can be
 * promoted again.
 */
export const promotedIssues: Migration = {
  name: '1070-promoted-issues',
  up: ({ ref }) => [
    `create table promoted_issues (
      issue_id ${ref('issues')} on delete cascade not null primary key,
      epic_id ${ref('epics')} on delete cascade not null
    )`,
    'create index promoted_issues_epic on promoted_issues (epic_id)',
  ],
};
