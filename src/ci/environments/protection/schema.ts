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
/** Fields of an approval rule, for entities that extend it. */
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
    description: '30 (Developer), 40 (Maintainer) or 60 (administrator)',
  }),
  user_id: param.integer(),
  group_id: param.integer(),
  group_inheritance_type: param.integerOf([0, 1], {
    description: '0 for direct group members only, 1 to include inherited members',
  }),
};
const changed = { id: param.integer(), _destroy: param.boolean() };
const required_approvals = param.integer({ description: 'Number of required approvals, from 1 to 5' });

export const owner = { id: required(param.string({ description: 'ID or URL-encoded path' })) };
export const named = {
  ...owner,
  name: required(param.string({ description: 'Name of the environment; for groups, a deployment tier' })),
};
const required_approval_count = param.integer({ description: 'Number of approvals required to deploy, up to 5' });
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
