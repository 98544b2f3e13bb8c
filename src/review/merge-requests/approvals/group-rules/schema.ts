import Type from 'typebox';
import { ProtectedBranch } from '../../../../code/protected-refs/public.ts';
import { type ParamsOf, param, required } from '../../../../platform/http/params.ts';
import { entity } from '../../../../platform/http/schema.ts';
import { project as group } from '../../schema.ts';
import { ruleFields } from '../schema.ts';

export const GroupRule = entity('GroupApprovalRule', {
  ...ruleFields,
  protected_branches: Type.Array(ProtectedBranch),
  applies_to_all_protected_branches: Type.Boolean(),
});

const optional = {
  rule_type: param.oneOf(['any_approver', 'regular']),
  user_ids: param.integers(),
  group_ids: param.integers(),
};

export const list = group;
export const newRule = {
  ...group,
  name: required(param.string()),
  approvals_required: required(param.integer()),
  ...optional,
};
const changes = { name: param.string(), approvals_required: param.integer(), ...optional };
export const oneRule = { ...group, approval_rule_id: required(param.integer()) };
export const ruleChange = { ...oneRule, ...changes };
export type GroupRuleChange = ParamsOf<typeof changes>;
