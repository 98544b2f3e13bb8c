import type { Migration } from '../platform/database/migrator.ts';

/** Approval settings of groups, protected branches of approval rules, and further review data of merge requests. */
export const approvalSettingsOfGroups: Migration = {
  name: '0321-approval-settings',
  up: () => [
    `create table group_approval_settings (
      namespace_id bigint primary key references namespaces (id) on delete cascade,
      settings text not null
    )`,
    `create table approval_rule_branches (
      rule_id bigint not null references approval_rules (id) on delete cascade,
      branch_id bigint not null references protected_branches (id) on delete cascade,
      primary key (rule_id, branch_id)
    )`,
    'create index approval_rule_branches_branch on approval_rule_branches (branch_id)',
    'alter table merge_requests add column approvals_before_merge bigint',
    `create table merge_request_context_commits (
      merge_request_id bigint not null references merge_requests (id) on delete cascade,
      sha text not null,
      created_at bigint not null,
      primary key (merge_request_id, sha)
    )`,
  ],
};
