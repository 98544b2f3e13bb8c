import type { Generated, Selectable } from 'kysely';

export interface ApprovalRulesTable {
  id: Generated<number>;
  project_id: number;
  /** Null for a rule of the project. */
  merge_request_id: number | null;
  /** The rule of the project that one of a merge request stands for. */
  source_rule_id: number | null;
  name: string;
  rule_type: 'any_approver' | 'regular' | 'code_owner';
  /** The part of the file of code owners that made it; null for every other rule. */
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

/** Members of the project in a role, whoever they are at the time. */
export interface ApprovalRuleLevelsTable {
  rule_id: number;
  access_level: number;
}

export interface ApprovalSettingsTable {
  project_id: number;
  /** As JSON. */
  settings: string;
}

/** The protected branches that a rule is for; one without any is for all branches. */
export interface ApprovalRuleBranchesTable {
  rule_id: number;
  branch_id: number;
}

/** Rules of a project that one of its merge requests does without. */
export interface RemovedApprovalRulesTable {
  merge_request_id: number;
  rule_id: number;
}

/** What a group wants of the approvals in its projects. */
export interface GroupApprovalSettingsTable {
  namespace_id: number;
  /** As JSON. */
  settings: string;
}

export type RuleRow = Selectable<ApprovalRulesTable>;

/** A rule with those whose approval counts for it; for a rule of anybody there are none to name. */
export interface ApprovalRule {
  readonly rule: RuleRow;
  /** A group above the project asks for it: its number is of the rules of groups, and no merge request can change it. */
  readonly ofGroup?: true;
  readonly userIds: readonly number[];
  readonly groups: readonly { readonly id: number; readonly name: string; readonly full_path: string }[];
  readonly eligibleIds: readonly number[];
  /** The protected branches that it is for; none for every branch. */
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
