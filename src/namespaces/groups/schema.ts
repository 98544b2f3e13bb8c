import Type, { type Static } from 'typebox';
import { visibilityNames } from '../../access/roles.ts';
import { CustomAttribute } from '../../people/custom-attributes/public.ts';
import { nullable as orNull, type ParamsOf, param, required, withDefault } from '../../platform/http/params.ts';
import { day, entity, nullable, timestamp } from '../../platform/http/schema.ts';
import { LdapGroupLink } from '../ldap-group-links/public.ts';
import { SamlGroupLink } from '../saml-group-links/public.ts';
import { creationSettings, updateSettings } from './settings/schema.ts';
import { GroupStatistics, RootStorageStatistics } from './statistics/schema.ts';

const accessEntries = () => Type.Array(Type.Object({ access_level: Type.Integer() }));

/** Fields common to all representations of a group. */
export const groupFields = {
  id: Type.Integer(),
  web_url: Type.String(),
  name: Type.String(),
  path: Type.String(),
  description: Type.String(),
  visibility: Type.String(),
  share_with_group_lock: Type.Boolean(),
  require_two_factor_authentication: Type.Boolean(),
  two_factor_grace_period: Type.Integer(),
  project_creation_level: Type.String(),
  auto_devops_enabled: nullable(Type.Boolean()),
  subgroup_creation_level: Type.String(),
  emails_disabled: Type.Boolean(),
  emails_enabled: Type.Boolean(),
  show_diff_preview_in_email: Type.Boolean(),
  mentions_disabled: nullable(Type.Boolean()),
  lfs_enabled: Type.Boolean(),
  archived: Type.Boolean(),
  math_rendering_limits_enabled: Type.Boolean(),
  lock_math_rendering_limits_enabled: Type.Boolean(),
  default_branch: nullable(Type.String()),
  default_branch_protection: Type.Integer(),
  default_branch_protection_defaults: Type.Object({
    allowed_to_push: accessEntries(),
    allow_force_push: Type.Boolean(),
    allowed_to_merge: accessEntries(),
    code_owner_approval_required: Type.Optional(Type.Boolean()),
    developer_can_initial_push: Type.Boolean(),
  }),
  avatar_url: nullable(Type.String()),
  request_access_enabled: Type.Boolean(),
  full_name: Type.String(),
  full_path: Type.String(),
  created_at: timestamp(),
  parent_id: nullable(Type.Integer()),
  organization_id: Type.Integer(),
  shared_runners_setting: Type.String(),
  max_artifacts_size: nullable(Type.Integer()),
  custom_attributes: Type.Optional(Type.Array(CustomAttribute)),
  statistics: Type.Optional(GroupStatistics),
  marked_for_deletion_on: nullable(day()),
  root_storage_statistics: Type.Optional(RootStorageStatistics),
  ldap_cn: nullable(Type.String()),
  ldap_access: nullable(Type.Integer()),
  ldap_group_links: Type.Optional(Type.Array(LdapGroupLink)),
  saml_group_links: Type.Optional(Type.Array(SamlGroupLink)),
  file_template_project_id: nullable(Type.Integer()),
  wiki_access_level: Type.String(),
  repository_storage: Type.String(),
  ip_restriction_ranges: nullable(Type.String()),
  ai_features_enabled: Type.Boolean(),
  lock_ai_features_enabled: Type.Boolean(),
  ai_availability: Type.String(),
  duo_features_enabled: Type.Optional(Type.Boolean()),
  lock_duo_features_enabled: Type.Optional(Type.Boolean()),
  duo_availability: Type.String(),
  experiment_features_enabled: Type.Boolean(),
  web_based_commit_signing_enabled: Type.Optional(Type.Boolean()),
  allow_personal_snippets: Type.Boolean(),
};

export const Group = entity('Group', groupFields);
export type GroupEntity = Static<typeof Group>;

/** Basic attributes of a group, shown where groups can be chosen. */
export const PublicGroupDetails = entity('PublicGroupDetails', {
  id: Type.Integer(),
  web_url: Type.String(),
  name: Type.String(),
  avatar_url: nullable(Type.String()),
  full_name: Type.String(),
  full_path: Type.String(),
});
export type PublicGroupEntity = Static<typeof PublicGroupDetails>;

export const owner = { id: required(param.string({ description: 'ID or URL-encoded path of the group' })) };

/** Optional attributes that a request can add to each group. */
export const additions = {
  statistics: withDefault(param.boolean({ description: 'Administrators and auditors only' }), false),
  with_custom_attributes: withDefault(param.boolean({ description: 'Administrators only' }), false),
};

export const oneGroup = {
  ...owner,
  ...additions,
  custom_attributes: param.map({ description: 'Administrators only' }),
  with_projects: withDefault(param.boolean({ description: 'Deprecated' }), true),
};

const texts = {
  description: orNull(param.string()),
  visibility: param.oneOf(visibilityNames),
  avatar: orNull(param.file()),
};
export const newGroup = {
  name: required(param.string()),
  path: required(param.string()),
  parent_id: param.integer(),
  organization_id: param.integer(),
  ...texts,
  ...creationSettings,
};
export type NewGroupParams = ParamsOf<typeof newGroup>;
export const groupChange = { ...owner, name: param.string(), path: param.string(), ...texts, ...updateSettings };
export type GroupChangeParams = ParamsOf<typeof groupChange>;
