import type { Migration } from '../platform/database/migrator.ts';

/** The issue created from an error. */
export const errorIssues: Migration = {
  name: '0081-error-issues',
  up: () => [
    'alter table error_tracking_errors add column issue_id bigint references issues (id) on delete set null',
    'create index error_tracking_errors_issue on error_tracking_errors (issue_id) where issue_id is not null',
  ],
};
