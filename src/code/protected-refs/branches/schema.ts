import Type, { type Static } from 'typebox';
import { notBlank, param, required, withDefault } from '../../../platform/http/params.ts';
import { entity } from '../../../platform/http/schema.ts';
import { AccessLevel, grants, KeyedAccessLevel, levels, projectOrGroupParams, protectedRefParams } from '../schema.ts';

const branchFields = {
  id: Type.Integer(),
  name: Type.String(),
  push_access_levels: Type.Array(KeyedAccessLevel),
  merge_access_levels: Type.Array(AccessLevel),
  allow_force_push: Type.Boolean(),
  unprotect_access_levels: Type.Array(AccessLevel),
  code_owner_approval_required: Type.Boolean(),
};
export const GroupProtectedBranch = entity('GroupProtectedBranch', branchFields);
export const ProtectedBranch = entity('ProtectedBranch', { ...branchFields, inherited: Type.Boolean() });
export type ProtectedBranchEntity = Static<typeof ProtectedBranch>;

export const branchFilter = { ...projectOrGroupParams, search: param.string() };

const lists = { allowed_to_push: grants(), allowed_to_merge: grants(), allowed_to_unprotect: grants() };
const unprotectLevel = { unprotect_access_level: param.integerOf(levels.slice(1)) };

export const branchCreation = {
  ...projectOrGroupParams,
  name: required(param.string()),
  push_access_level: param.integerOf(levels),
  merge_access_level: param.integerOf(levels),
  ...unprotectLevel,
  allow_force_push: withDefault(param.boolean(), false),
  code_owner_approval_required: withDefault(param.boolean(), false),
  ...lists,
};
export const branchChange = {
  ...protectedRefParams,
  allow_force_push: notBlank(param.boolean()),
  ...unprotectLevel,
  code_owner_approval_required: param.boolean(),
  ...lists,
};
