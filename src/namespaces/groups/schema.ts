import Type, { type Static } from 'typebox';
import { CustomAttribute } from '../../people/custom-attributes/public.ts';
import { day, entity, nullable, timestamp } from '../../platform/http/schema.ts';
import { Project } from '../projects/schema.ts';

const size = () => Type.Integer();

export const GroupStatistics = entity('GroupStatistics', {
  storage_size: size(),
  repository_size: size(),
  wiki_size: size(),
  lfs_objects_size: size(),
  job_artifacts_size: size(),
  pipeline_artifacts_size: size(),
  packages_size: size(),
  snippets_size: size(),
  uploads_size: size(),
});

export const RootStorageStatistics = entity('RootStorageStatistics', {
  build_artifacts_size: size(),
  container_registry_size: size(),
  container_registry_size_is_estimated: Type.Boolean(),
  dependency_proxy_size: size(),
  lfs_objects_size: size(),
  packages_size: size(),
  pipeline_artifacts_size: size(),
  repository_size: size(),
  snippets_size: size(),
  storage_size: size(),
  uploads_size: size(),
  wiki_size: size(),
});

const accessEntries = () => Type.Array(Type.Object({ access_level: Type.Integer() }));

const listFields = {
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
  file_template_project_id: nullable(Type.Integer()),
  wiki_access_level: Type.String(),
  repository_storage: Type.String(),
  ip_restriction_ranges: nullable(Type.String()),
  ai_features_enabled: Type.Boolean(),
  lock_ai_features_enabled: Type.Boolean(),
  ai_availability: Type.String(),
  duo_features_enabled: Type.Boolean(),
  lock_duo_features_enabled: Type.Boolean(),
  duo_availability: Type.String(),
  experiment_features_enabled: Type.Boolean(),
  web_based_commit_signing_enabled: Type.Boolean(),
  allow_personal_snippets: Type.Boolean(),
};

/** A group in a list. */
export const Group = entity('Group', listFields);
export type GroupEntity = Static<typeof Group>;

/** A group that was invited to another. */
export const SharedWithGroup = entity('SharedWithGroup', {
  group_id: Type.Integer(),
  group_name: Type.String(),
  group_full_path: Type.String(),
  group_access_level: Type.Integer(),
  expires_at: nullable(day()),
});
export type SharedWithGroupEntity = Static<typeof SharedWithGroup>;

/** A group by itself. The optional fields depend on who asks, on the place in the tree, and on the operation. */
export const GroupDetail = entity('GroupDetail', {
  ...listFields,
  shared_with_groups: Type.Array(SharedWithGroup),
  runners_token: Type.Optional(Type.String()),
  enabled_git_access_protocol: Type.Optional(Type.String()),
  prevent_sharing_groups_outside_hierarchy: Type.Optional(Type.Boolean()),
  step_up_auth_required_oauth_provider: Type.Optional(nullable(Type.String())),
  projects: Type.Optional(Type.Array(Project)),
  shared_projects: Type.Optional(Type.Array(Project)),
  shared_runners_minutes_limit: nullable(Type.Integer()),
  extra_shared_runners_minutes_limit: nullable(Type.Integer()),
  prevent_forking_outside_group: Type.Boolean(),
  membership_lock: Type.Boolean(),
  allowed_email_domains_list: nullable(Type.String()),
  only_allow_merge_if_pipeline_succeeds: Type.Boolean(),
  allow_merge_on_skipped_pipeline: Type.Boolean(),
  only_allow_merge_if_all_discussions_are_resolved: Type.Boolean(),
  unique_project_download_limit: Type.Optional(Type.Integer()),
  unique_project_download_limit_interval_in_seconds: Type.Optional(Type.Integer()),
  unique_project_download_limit_allowlist: Type.Optional(Type.Array(Type.String())),
  unique_project_download_limit_alertlist: Type.Optional(Type.Array(Type.Integer())),
  auto_ban_user_on_excessive_projects_download: Type.Optional(Type.Boolean()),
});
export type GroupDetailEntity = Static<typeof GroupDetail>;

/** What anyone who may choose a group sees of it. */
export const PublicGroupDetails = entity('PublicGroupDetails', {
  id: Type.Integer(),
  web_url: Type.String(),
  name: Type.String(),
  avatar_url: nullable(Type.String()),
  full_name: Type.String(),
  full_path: Type.String(),
});
export type PublicGroupEntity = Static<typeof PublicGroupDetails>;
