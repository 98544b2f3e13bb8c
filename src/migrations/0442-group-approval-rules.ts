import type { Migration } from '../platform/database/migrator.ts';

/** Approval rules of groups, which apply to protected branches in all projects of the group. */
export const groupApprovalRules: Migration = {
  name: '0442-group-approval-rules',
  up: ({ id }) => [
    `create table group_approval_rules (
      id ${id},
      namespace_id bigint not null references namespaces (id) on delete cascade,
      name text not null,
      rule_type text not null,
      approvals_required bigint not null,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    'create index group_approval_rules_group on group_approval_rules (namespace_id, id)',
    `create table group_approval_rule_users (
      rule_id bigint not null references group_approval_rules (id) on delete cascade,
      user_id bigint not null references users (id) on delete cascade,
      primary key (rule_id, user_id)
    )`,
    'create index group_approval_rule_users_user on group_approval_rule_users (user_id)',
    `create table group_approval_rule_groups (
      rule_id bigint not null references group_approval_rules (id) on delete cascade,
      namespace_id bigint not null references namespaces (id) on delete cascade,
      primary key (rule_id, namespace_id)
    )`,
    'create index group_approval_rule_groups_group on group_approval_rule_groups (namespace_id)',
  ],
};
