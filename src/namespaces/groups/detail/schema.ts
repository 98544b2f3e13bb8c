import Type, { type Static } from 'typebox';
import { day, entity, nullable } from '../../../platform/http/schema.ts';
import { Project } from '../../projects/public.ts';
import { groupFields } from '../schema.ts';

/** A group invited to another group. */
export const SharedWithGroup = entity('SharedWithGroup', {
  group_id: Type.Integer(),
  group_name: Type.String(),
  group_full_path: Type.String(),
  group_access_level: Type.Integer(),
  expires_at: nullable(day()),
  member_role_id: Type.Optional(Type.Integer()),
});
export type SharedWithGroupEntity = Static<typeof SharedWithGroup>;

/** Detail view of a group. The optional fields depend on the caller, on the level of the group and on the operation. */
export const GroupDetail = entity('GroupDetail', {
  ...groupFields,
  shared_with_groups: Type.Array(SharedWithGroup),
  runners_token: Type.Optional(Type.String()),
  enabled_git_access_protocol: Type.Optional(Type.String()),
  prevent_sharing_groups_outside_hierarchy: Type.Optional(Type.Boolean()),
  step_up_auth_required_oauth_provider: Type.Optional(nullable(Type.String())),
  projects: Type.Optional(Type.Array(Project)),
  shared_projects: Type.Optional(Type.Array(Project)),
  shared_runners_minutes_limit: nullable(Type.Integer()),
  extra_shared_runners_minutes_limit: nullable(Type.Integer()),
  repository_size_limit: nullable(Type.Integer()),
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
