import Type, { type Static } from 'typebox';
import { param, required } from '../../../platform/http/params.ts';
import { entity, nullable } from '../../../platform/http/schema.ts';

/** Access levels that can be the minimum in a rule. */
export const ruleLevels = { maintainer: 40, owner: 50, admin: 60 } as const;
export type RuleLevel = keyof typeof ruleLevels;
const words = Object.keys(ruleLevels) as RuleLevel[];

const levels = {
  minimum_access_level_for_push: nullable(Type.String()),
  minimum_access_level_for_delete: nullable(Type.String()),
};
const common = { id: Type.Integer(), project_id: Type.Integer() };
export const RepositoryRule = entity('RegistryProtectionRule', {
  ...common,
  repository_path_pattern: Type.String(),
  ...levels,
});
export const TagRule = entity('RegistryProtectionTagRule', { ...common, tag_name_pattern: Type.String(), ...levels });
export type RepositoryRuleEntity = Static<typeof RepositoryRule>;
export type TagRuleEntity = Static<typeof TagRule>;

const id = required(param.string({ description: 'ID or URL-encoded path of the project' }));
const level = (what: string) => param.oneOf(words, { description: `Minimum role required to ${what}` });
const changed = (what: string) =>
  param.oneOf([...words, ''], { description: `Minimum role required to ${what}; empty to remove the restriction` });

export const project = { id };
export const oneRule = { id, protection_rule_id: required(param.integer()) };
export const newRepositoryRule = {
  id,
  repository_path_pattern: required(param.string({ description: 'Repository path pattern; `*` matches any text' })),
  minimum_access_level_for_push: level('push'),
  minimum_access_level_for_delete: level('delete'),
};
export const changedRepositoryRule = {
  ...oneRule,
  repository_path_pattern: param.string(),
  minimum_access_level_for_push: changed('push'),
  minimum_access_level_for_delete: changed('delete'),
};
export const newTagRule = {
  id,
  tag_name_pattern: required(param.string({ description: 'Tag name pattern (RE2)' })),
  minimum_access_level_for_push: required(level('push')),
  minimum_access_level_for_delete: required(level('delete')),
};
export const changedTagRule = {
  ...oneRule,
  tag_name_pattern: param.string(),
  minimum_access_level_for_push: changed('push'),
  minimum_access_level_for_delete: changed('delete'),
};
