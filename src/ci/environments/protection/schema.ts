import Type, { type Static } from 'typebox';
import { type ParamsOf, param, required } from '../../../platform/http/params.ts';
import { entity, nullable } from '../../../platform/http/schema.ts';

const levels = [30, 40, 60];

const holder = {
  id: Type.Integer(),
  access_level: nullable(Type.Integer()),
  access_level_description: Type.String(),
  user_id: nullable(Type.Integer()),
  group_id: nullable(Type.Integer()),
  group_inheritance_type: Type.Integer(),
};
const ruleFields = { ...holder, required_approvals: Type.Integer() };

const DeployAccessLevel = entity('ProtectedEnvironmentDeployAccessLevel', holder);
export const ApprovalRule = entity('ProtectedEnvironmentApprovalRule', ruleFields);
export type ApprovalRuleEntity = Static<typeof ApprovalRule>;
/** What a rule of approvals is made of, for those who add something to it. */
export const approvalRuleFields = ruleFields;

export const ProtectedEnvironment = entity('ProtectedEnvironment', {
  name: Type.String(),
  deploy_access_levels: Type.Array(DeployAccessLevel),
  required_approval_count: Type.Integer(),
  approval_rules: Type.Array(ApprovalRule),
});
export type ProtectedEnvironmentEntity = Static<typeof ProtectedEnvironment>;

const holderParams = {
  access_level: param.integerOf(levels, {
    description: '30 for Developers, 40 for Maintainers, 60 for administrators',
  }),
  user_id: param.integer(),
  group_id: param.integer(),
  group_inheritance_type: param.integerOf([0, 1], { description: '1 counts members of the groups above it too' }),
};
const changed = { id: param.integer(), _destroy: param.boolean() };
const required_approvals = param.integer({ description: 'How many of them have to approve: 1 to 5' });

export const owner = { id: required(param.string({ description: 'Number or URL-encoded path' })) };
export const named = {
  ...owner,
  name: required(param.string({ description: 'The name of an environment; of a group, a deployment tier' })),
};
const required_approval_count = param.integer({ description: 'How many have to approve a deployment: up to 5' });
export const creation = {
  ...named,
  deploy_access_levels: required(param.hashes(holderParams)),
  required_approval_count,
  approval_rules: param.hashes({ ...holderParams, required_approvals }),
};
export const change = {
  ...named,
  deploy_access_levels: param.hashes({ ...holderParams, ...changed }),
  required_approval_count,
  approval_rules: param.hashes({ ...holderParams, ...changed, required_approvals }),
};
export type CreationParams = ParamsOf<typeof creation>;
export type ChangeParams = ParamsOf<typeof change>;
