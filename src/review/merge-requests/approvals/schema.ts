import Type, { type Static } from 'typebox';
import { ProtectedBranch } from '../../../code/protected-refs/public.ts';
import { Group } from '../../../namespaces/groups/public.ts';
import { BasicUser } from '../../../people/users/public.ts';
import { type ParamsOf, param, required } from '../../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../../platform/http/schema.ts';
import { oneRequest, project } from '../schema.ts';

export const ruleFields = {
  id: Type.Integer(),
  name: Type.String(),
  rule_type: Type.String(),
  eligible_approvers: Type.Array(BasicUser),
  approvals_required: Type.Integer(),
  users: Type.Array(BasicUser),
  groups: Type.Array(Group),
  contains_hidden_groups: Type.Boolean(),
  report_type: nullable(Type.String()),
};

export const ProjectRule = entity('ProjectApprovalRule', {
  ...ruleFields,
  protected_branches: Type.Array(ProtectedBranch),
  applies_to_all_protected_branches: Type.Boolean(),
});

export const RulesOfProject = entity('ProjectApprovalRules', {
  rules: Type.Array(ProjectRule),
  fallback_approvals_required: Type.Integer(),
});

const requestRuleFields = {
  ...ruleFields,
  section: nullable(Type.String()),
  source_rule: nullable(Type.Object({ approvals_required: Type.Integer() })),
  overridden: Type.Boolean(),
};
export const RequestRule = entity('MergeRequestApprovalRule', requestRuleFields);

export const RulesOfRequest = entity('MergeRequestApprovalSettings', {
  approval_rules_overwritten: Type.Boolean(),
  rules: Type.Array(RequestRule),
  fallback_approvals_required: Type.Integer(),
});

export const ApprovalState = entity('MergeRequestApprovalState', {
  approval_rules_overwritten: Type.Boolean(),
  rules: Type.Array(
    Type.Object({
      ...requestRuleFields,
      code_owner: Type.Boolean(),
      approved_by: Type.Array(BasicUser),
      approved: Type.Boolean(),
    }),
  ),
});

export const Approvals = entity('MergeRequestApprovals', {
  id: Type.Integer(),
  iid: Type.Integer(),
  project_id: Type.Integer(),
  title: Type.String(),
  description: nullable(Type.String()),
  state: Type.String(),
  created_at: timestamp(),
  updated_at: timestamp(),
  merge_status: Type.String(),
  approved: Type.Boolean(),
  approvals_required: Type.Integer(),
  approvals_left: Type.Integer(),
  require_password_to_approve: Type.Boolean(),
  approved_by: Type.Array(Type.Object({ user: BasicUser, approved_at: timestamp() })),
  suggested_approvers: Type.Array(BasicUser),
  approvers: Type.Array(Type.Unknown()),
  approver_groups: Type.Array(Type.Unknown()),
  user_has_approved: Type.Boolean(),
  user_can_approve: Type.Boolean(),
  approval_rules_left: Type.Array(Type.Object({ id: Type.Integer(), name: Type.String(), rule_type: Type.String() })),
  has_approval_rules: Type.Boolean(),
  merge_request_approvers_available: Type.Boolean(),
  multiple_approval_rules_available: Type.Boolean(),
  invalid_approvers_rules: Type.Array(Type.Unknown()),
});

export const Settings = entity('ProjectApprovalSettings', {
  approvers: Type.Array(Type.Unknown()),
  approver_groups: Type.Array(Type.Unknown()),
  approvals_before_merge: Type.Integer(),
  reset_approvals_on_push: Type.Boolean(),
  merge_requests_author_approval: Type.Boolean(),
  merge_requests_disable_committers_approval: Type.Boolean(),
  disable_overriding_approvers_per_merge_request: Type.Boolean(),
  selective_code_owner_removals: Type.Boolean(),
  require_password_to_approve: Type.Boolean(),
  require_reauthentication_to_approve: Type.Boolean(),
});

export type ApprovalsEntity = Static<typeof Approvals>;
export type RuleFields = Pick<Static<typeof RequestRule>, keyof typeof ruleFields>;

export const approve = {
  ...oneRequest,
  sha: param.string(),
  approval_password: param.string(),
  publish_review: param.boolean(),
};

export const requiredApprovals = { ...oneRequest, approvals_required: required(param.integer()) };

const named = { user_ids: param.integers(), usernames: param.commaList(), group_ids: param.integers() };
const ruleType = { rule_type: param.oneOf(['any_approver', 'regular']) };
const projectRuleType = {
  rule_type: param.oneOf(['any_approver', 'regular', 'report_approver']),
  report_type: param.oneOf(['code_coverage'], {
    description: 'With `code_coverage`, approvals are only required if the test coverage falls',
  }),
};
const hiddenGroups = {
  remove_hidden_groups: param.boolean({ description: 'Remove groups that the caller may not see' }),
};
const newRule = {
  name: required(param.string()),
  approvals_required: required(param.integer()),
  ...ruleType,
  ...named,
};
const ruleChange = { name: param.string(), approvals_required: param.integer(), ...ruleType, ...named };
const everywhere = { applies_to_all_protected_branches: param.boolean(), protected_branch_ids: param.integers() };
const ruleId = { approval_rule_id: required(param.integer()) };

export const newProjectRule = { ...project, ...newRule, ...projectRuleType, ...everywhere };
export const oneProjectRule = { ...project, ...ruleId };
export const projectRuleChange = { ...oneProjectRule, ...ruleChange, ...hiddenGroups, ...everywhere };
export const newRequestRule = { ...oneRequest, ...newRule, approval_project_rule_id: param.integer() };
export const oneRequestRule = { ...oneRequest, ...ruleId };
export const requestRuleChange = { ...oneRequestRule, ...ruleChange, ...hiddenGroups };

export const settingsChange = {
  ...project,
  approvals_before_merge: param.integer(),
  reset_approvals_on_push: param.boolean(),
  merge_requests_author_approval: param.boolean(),
  merge_requests_disable_committers_approval: param.boolean(),
  disable_overriding_approvers_per_merge_request: param.boolean(),
  selective_code_owner_removals: param.boolean(),
  require_password_to_approve: param.boolean(),
  require_reauthentication_to_approve: param.boolean(),
};
export type SettingsChange = Omit<ParamsOf<typeof settingsChange>, 'id'>;
const targetBranch = { target_branch: param.string() };
export const forBranch = { ...project, ...targetBranch };
export const requestForBranch = { ...oneRequest, ...targetBranch };
export type RuleChange = Omit<ParamsOf<typeof ruleChange>, 'rule_type'> &
  Partial<ParamsOf<typeof projectRuleType> & ParamsOf<typeof hiddenGroups> & ParamsOf<typeof everywhere>>;
