import type { Migration } from '../platform/database/migrator.ts';

/** Projects show how many of their issues are open: counted from an index that holds just those. */
export const openIssues: Migration = {
  name: '0241-open-issues',
  up: () => ["create index issues_open on issues (project_id, confidential) where state = 'opened'"],
};
