import Type, { type Static } from 'typebox';
import { param, required } from '../../../platform/http/params.ts';
import { entity, nullable } from '../../../platform/http/schema.ts';

/** Access levels that can be the minimum in a rule. */
export const ruleLevels = { maintainer: 40, owner: 50, admin: 60 } as const;
export type RuleLevel = keyof typeof ruleLevels;
const packageTypes = ['conan', 'generic', 'helm', 'maven', 'npm', 'nuget', 'pypi', 'terraform_module'] as const;

export const PackageRule = entity('PackageProtectionRule', {
  id: Type.Integer(),
  project_id: Type.Integer(),
  package_name_pattern: Type.String(),
  package_type: Type.String(),
  minimum_access_level_for_delete: nullable(Type.String()),
  minimum_access_level_for_push: nullable(Type.String()),
});
export type PackageRuleEntity = Static<typeof PackageRule>;

const id = required(param.string({ description: 'ID or URL-encoded path of the project' }));
const none = '; empty to remove the restriction';

export const project = { id };
export const oneRule = { id, package_protection_rule_id: required(param.integer()) };
const levels = {
  minimum_access_level_for_delete: param.oneOf(['owner', 'admin', ''], {
    description: `Minimum role required to delete${none}`,
  }),
  minimum_access_level_for_push: param.oneOf(['maintainer', 'owner', 'admin', ''], {
    description: `Minimum role required to publish${none}`,
  }),
};
export const newRule = {
  id,
  package_name_pattern: required(param.string({ description: 'Package name pattern; `*` matches any text' })),
  package_type: required(param.oneOf(packageTypes)),
  ...levels,
};
export const changedRule = {
  ...oneRule,
  package_name_pattern: param.string(),
  package_type: param.oneOf(packageTypes),
  ...levels,
};
