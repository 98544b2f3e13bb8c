import type { Generated, Selectable } from 'kysely';

export interface GroupApprovalRulesTable {
  id: Generated<number>;
  namespace_id: number;
  name: string;
  rule_type: 'any_approver' | 'regular';
  approvals_required: number;
  created_at: number;
  updated_at: number;
}

export interface GroupApprovalRuleUsersTable {
  rule_id: number;
  user_id: number;
}

export interface GroupApprovalRuleGroupsTable {
  rule_id: number;
  namespace_id: number;
}

export type GroupRuleRow = Selectable<GroupApprovalRulesTable>;

declare module '../../../../platform/database/tables.ts' {
  interface Tables {
    group_approval_rules: GroupApprovalRulesTable;
    group_approval_rule_users: GroupApprovalRuleUsersTable;
    group_approval_rule_groups: GroupApprovalRuleGroupsTable;
  }
}
