import type { Migration } from '../platform/database/migrator.ts';

/** Index to count the open issues of a project. */
export const openIssues: Migration = {
  name: '0241-open-issues',
  up: () => ["create index issues_open on issues (project_id, confidential) where state = 'opened'"],
};
