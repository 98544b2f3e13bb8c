import type { Migration } from '../platform/database/migrator.ts';

/** Approval rules that depend on a report. */
export const coverageApprovalRules: Migration = {
  name: '1121-coverage-approval-rules',
  up: ({ text }) => [`alter table approval_rules add column report_type ${text}`],
};
