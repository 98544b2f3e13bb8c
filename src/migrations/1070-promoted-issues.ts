import type { Migration } from '../platform/database/migrator.ts';

/** Which epic an issue was made, so that it is made one once. An issue whose epic is gone can be made another. */
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
