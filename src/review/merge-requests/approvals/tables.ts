import type { Generated, Selectable } from 'kysely';

export interface ApprovalRulesTable {
  id: Generated<number>;
  project_id: number;
  /** Null for a project rule. */
  merge_request_id: number | null;
  /** The project rule that a merge request rule overrides. */
  source_rule_id: number | null;
  name: string;
  rule_type: 'any_approver' | 'regular' | 'code_owner' | 'report_approver';
  /** The report that the rule depends on; null for other rules. */
  report_type: Generated<'code_coverage' | null>;
  /** The CODEOWNERS section of a code owner rule; null for other rules. */
  section: Generated<string | null>;
  approvals_required: number;
  applies_to_all_protected_branches: Generated<number>;
  created_at: number;
  updated_at: number;
}

export interface ApprovalRuleUsersTable {
  rule_id: number;
  user_id: number;
}

export interface ApprovalRuleGroupsTable {
  rule_id: number;
  namespace_id: number;
}

/** Roles whose holders are approvers; evaluated when approvals are counted. */
export interface ApprovalRuleLevelsTable {
  rule_id: number;
  access_level: number;
}

export interface ApprovalSettingsTable {
  project_id: number;
  /** JSON. */
  settings: string;
}

/** Protected branches that a rule applies to; a rule without any applies to all branches. */
export interface ApprovalRuleBranchesTable {
  rule_id: number;
  branch_id: number;
}

/** Project rules that a merge request has removed. */
export interface RemovedApprovalRulesTable {
  merge_request_id: number;
  rule_id: number;
}

/** Approval settings that a group enforces in its projects. */
export interface GroupApprovalSettingsTable {
  namespace_id: number;
  /** JSON. */
  settings: string;
}

export type RuleRow = Selectable<ApprovalRulesTable>;

/** A rule with its eligible approvers; empty for rules for any approver. */
export interface ApprovalRule {
  readonly rule: RuleRow;
  /** The rule belongs to an ancestor group: its ID refers to the group rules, and merge requests cannot change it. */
  readonly ofGroup?: true;
  readonly userIds: readonly number[];
  readonly groups: readonly { readonly id: number; readonly name: string; readonly full_path: string }[];
  readonly eligibleIds: readonly number[];
  /** Protected branches that it applies to; empty for all branches. */
  readonly branches: readonly { readonly id: number; readonly name: string }[];
}

declare module '../../../platform/database/tables.ts' {
  interface Tables {
    approval_rules: ApprovalRulesTable;
    approval_rule_users: ApprovalRuleUsersTable;
    approval_rule_groups: ApprovalRuleGroupsTable;
    approval_rule_levels: ApprovalRuleLevelsTable;
    approval_rule_branches: ApprovalRuleBranchesTable;
    removed_approval_rules: RemovedApprovalRulesTable;
    group_approval_settings: GroupApprovalSettingsTable;
    approval_settings: ApprovalSettingsTable;
  }
}
