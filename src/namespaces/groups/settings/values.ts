import Type, { type Static } from 'typebox';
import type { ApplicationSettings } from '../../../access/application-settings/list.ts';
import {
  fullProtection,
  fullProtectionNumber,
  protectionChange,
  protectionIn,
  protectionSchema,
} from '../../../access/namespaces/branch-protection.ts';
import {
  defaultCreationLevels,
  projectCreationLevels,
  projectCreationNumbers,
  subgroupCreationLevels,
} from '../../../access/namespaces/creation-levels.ts';
import { nullable } from '../../../platform/http/schema.ts';
import { storedJson } from '../../../platform/stored-json.ts';
import { availabilities, protocols, runnerSettings, type SettingChanges, wikiLevels } from './schema.ts';

const GroupSettings = Type.Object({
  share_with_group_lock: Type.Boolean(),
  require_two_factor_authentication: Type.Boolean(),
  two_factor_grace_period: Type.Integer(),
  project_creation_level: Type.Enum(projectCreationLevels),
  auto_devops_enabled: nullable(Type.Boolean()),
  subgroup_creation_level: Type.Enum(subgroupCreationLevels),
  emails_enabled: Type.Boolean(),
  show_diff_preview_in_email: Type.Boolean(),
  mentions_disabled: nullable(Type.Boolean()),
  lfs_enabled: Type.Boolean(),
  request_access_enabled: Type.Boolean(),
  default_branch: nullable(Type.String()),
  default_branch_protection: Type.Integer(),
  default_branch_protection_defaults: protectionSchema,
  enabled_git_access_protocol: Type.Enum(protocols),
  membership_lock: Type.Boolean(),
  shared_runners_minutes_limit: nullable(Type.Integer()),
  extra_shared_runners_minutes_limit: nullable(Type.Integer()),
  wiki_access_level: Type.Enum(wikiLevels),
  experiment_features_enabled: Type.Boolean(),
  ai_availability: Type.Enum(availabilities),
  shared_runners_setting: Type.Enum(runnerSettings),
  prevent_sharing_groups_outside_hierarchy: Type.Boolean(),
  allow_mfa_for_subgroups: Type.Boolean(),
  step_up_auth_required_oauth_provider: nullable(Type.String()),
  max_artifacts_size: nullable(Type.Integer()),
  repository_size_limit: nullable(Type.Integer()),
  web_based_commit_signing_enabled: Type.Boolean(),
  math_rendering_limits_enabled: Type.Boolean(),
  lock_math_rendering_limits_enabled: Type.Boolean(),
  ai_features_enabled: Type.Boolean(),
  lock_ai_features_enabled: Type.Boolean(),
  file_template_project_id: nullable(Type.Integer()),
  prevent_forking_outside_group: Type.Boolean(),
  unique_project_download_limit: Type.Integer(),
  unique_project_download_limit_interval_in_seconds: Type.Integer(),
  unique_project_download_limit_allowlist: Type.Array(Type.String()),
  unique_project_download_limit_alertlist: Type.Array(Type.Integer()),
  auto_ban_user_on_excessive_projects_download: Type.Boolean(),
  ip_restriction_ranges: nullable(Type.String()),
  allowed_email_domains_list: nullable(Type.String()),
  only_allow_merge_if_pipeline_succeeds: Type.Boolean(),
  allow_merge_on_skipped_pipeline: Type.Boolean(),
  only_allow_merge_if_all_discussions_are_resolved: Type.Boolean(),
  allow_personal_snippets: Type.Boolean(),
});
export type GroupSettings = Static<typeof GroupSettings>;

const defaults: GroupSettings = Object.freeze({
  share_with_group_lock: false,
  require_two_factor_authentication: false,
  two_factor_grace_period: 48,
  project_creation_level: defaultCreationLevels.project,
  auto_devops_enabled: null,
  subgroup_creation_level: defaultCreationLevels.subgroup,
  emails_enabled: true,
  show_diff_preview_in_email: true,
  mentions_disabled: null,
  lfs_enabled: true,
  request_access_enabled: true,
  default_branch: null,
  default_branch_protection: fullProtectionNumber,
  default_branch_protection_defaults: fullProtection,
  enabled_git_access_protocol: 'all',
  membership_lock: false,
  shared_runners_minutes_limit: null,
  extra_shared_runners_minutes_limit: null,
  wiki_access_level: 'enabled',
  experiment_features_enabled: false,
  ai_availability: 'default_on',
  shared_runners_setting: 'enabled',
  prevent_sharing_groups_outside_hierarchy: false,
  allow_mfa_for_subgroups: true,
  step_up_auth_required_oauth_provider: null,
  max_artifacts_size: null,
  repository_size_limit: null,
  web_based_commit_signing_enabled: false,
  math_rendering_limits_enabled: true,
  lock_math_rendering_limits_enabled: false,
  ai_features_enabled: true,
  lock_ai_features_enabled: false,
  file_template_project_id: null,
  prevent_forking_outside_group: false,
  unique_project_download_limit: 0,
  unique_project_download_limit_interval_in_seconds: 0,
  unique_project_download_limit_allowlist: [],
  unique_project_download_limit_alertlist: [],
  auto_ban_user_on_excessive_projects_download: false,
  ip_restriction_ranges: null,
  allowed_email_domains_list: null,
  only_allow_merge_if_pipeline_succeeds: false,
  allow_merge_on_skipped_pipeline: false,
  only_allow_merge_if_all_discussions_are_resolved: false,
  allow_personal_snippets: true,
});

const readStored = storedJson(Type.Partial(GroupSettings));

/** Returns all settings of a group, with defaults for those never set. */
export function settingsOfGroup(group: { readonly settings: string }): GroupSettings {
  return group.settings === '{}' ? defaults : { ...defaults, ...readStored(group.settings) };
}

/** Returns the initial settings of a new group, taken from the instance settings where groups can override them. */
export function settingsForNew(instance: ApplicationSettings): GroupSettings {
  const { default_project_creation: creation, default_branch_protection: protection } = instance;
  return {
    ...defaults,
    project_creation_level: projectCreationNumbers[creation] ?? defaults.project_creation_level,
    default_branch_protection: protection,
    default_branch_protection_defaults: protectionIn(instance),
  };
}

/** Rights of the caller and level of the group. */
export interface SettingsContext {
  readonly admin: boolean;
  readonly topLevel: boolean;
}

/** Applies the requested settings. Settings that the caller may not change are left unchanged. */
export function withChanges(
  present: GroupSettings,
  sent: SettingChanges,
  { admin, topLevel }: SettingsContext,
): GroupSettings {
  const changes: Record<string, unknown> = {};
  const names = sent as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(defaults)) if (names[name] !== undefined) changes[name] = names[name];
  Object.assign(changes, fromOtherNames(sent), protectionChange(present, sent));
  if (!admin) {
    delete changes.repository_size_limit;
    delete changes.shared_runners_minutes_limit;
    delete changes.extra_shared_runners_minutes_limit;
  }
  if (!topLevel) {
    delete changes.prevent_sharing_groups_outside_hierarchy;
    delete changes.allow_mfa_for_subgroups;
    delete changes.web_based_commit_signing_enabled;
  }
  return { ...present, ...changes };
}

/** Handles deprecated names and spellings, and empty strings that clear a text. */
function fromOtherNames(sent: SettingChanges): Partial<GroupSettings> {
  const changes: Partial<GroupSettings> = {};
  if (sent.emails_disabled !== undefined && sent.emails_enabled === undefined) {
    changes.emails_enabled = !sent.emails_disabled;
  }
  if (sent.duo_availability !== undefined) changes.ai_availability = sent.duo_availability;
  if (sent.duo_features_enabled !== undefined) changes.ai_features_enabled = sent.duo_features_enabled;
  if (sent.lock_duo_features_enabled !== undefined) changes.lock_ai_features_enabled = sent.lock_duo_features_enabled;
  if (sent.shared_runners_setting === 'disabled_with_override') {
    changes.shared_runners_setting = 'disabled_and_overridable';
  }
  for (const name of texts) if (sent[name]?.trim() === '') changes[name] = null;
  return changes;
}

const texts = [
  'default_branch',
  'step_up_auth_required_oauth_provider',
  'ip_restriction_ranges',
  'allowed_email_domains_list',
] as const;

/** Serializes the settings, storing only those that differ from the defaults, so that a default can change later. */
export function packSettings(settings: GroupSettings): string {
  const own = Object.entries(settings).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(defaults[name as keyof GroupSettings]),
  );
  return JSON.stringify(Object.fromEntries(own));
}
