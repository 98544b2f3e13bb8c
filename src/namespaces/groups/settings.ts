import type { ApplicationSettings } from '../../access/application-settings/list.ts';
import {
  defaultCreationLevels,
  type ProjectCreationLevel,
  projectCreationNumbers,
  type SubgroupCreationLevel,
} from '../../access/creation-levels.ts';
import type { ProtectionDefaults } from '../../code/protected-refs/service.ts';
import { fullProtection, protectionNumber, protectionOf } from './branch-protection.ts';
import type { availabilities, protocols, runnerSettings, SettingChanges, wikiLevels } from './setting-params.ts';

/** Every setting of a group, set or not. */
export interface GroupSettings {
  share_with_group_lock: boolean;
  require_two_factor_authentication: boolean;
  two_factor_grace_period: number;
  project_creation_level: ProjectCreationLevel;
  auto_devops_enabled: boolean | null;
  subgroup_creation_level: SubgroupCreationLevel;
  emails_enabled: boolean;
  show_diff_preview_in_email: boolean;
  mentions_disabled: boolean | null;
  lfs_enabled: boolean;
  request_access_enabled: boolean;
  default_branch: string | null;
  default_branch_protection: number;
  default_branch_protection_defaults: ProtectionDefaults;
  enabled_git_access_protocol: (typeof protocols)[number];
  membership_lock: boolean;
  shared_runners_minutes_limit: number | null;
  extra_shared_runners_minutes_limit: number | null;
  wiki_access_level: (typeof wikiLevels)[number];
  experiment_features_enabled: boolean;
  ai_availability: (typeof availabilities)[number];
  shared_runners_setting: (typeof runnerSettings)[number];
  prevent_sharing_groups_outside_hierarchy: boolean;
  step_up_auth_required_oauth_provider: string | null;
  max_artifacts_size: number | null;
  web_based_commit_signing_enabled: boolean;
  math_rendering_limits_enabled: boolean;
  lock_math_rendering_limits_enabled: boolean;
  ai_features_enabled: boolean;
  lock_ai_features_enabled: boolean;
  file_template_project_id: number | null;
  prevent_forking_outside_group: boolean;
  unique_project_download_limit: number;
  unique_project_download_limit_interval_in_seconds: number;
  unique_project_download_limit_allowlist: string[];
  unique_project_download_limit_alertlist: number[];
  auto_ban_user_on_excessive_projects_download: boolean;
  ip_restriction_ranges: string | null;
  allowed_email_domains_list: string | null;
  only_allow_merge_if_pipeline_succeeds: boolean;
  allow_merge_on_skipped_pipeline: boolean;
  only_allow_merge_if_all_discussions_are_resolved: boolean;
  allow_personal_snippets: boolean;
}

const defaults: GroupSettings = {
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
  default_branch_protection: fullProtection,
  default_branch_protection_defaults: protectionOf(fullProtection),
  enabled_git_access_protocol: 'all',
  membership_lock: false,
  shared_runners_minutes_limit: null,
  extra_shared_runners_minutes_limit: null,
  wiki_access_level: 'enabled',
  experiment_features_enabled: false,
  ai_availability: 'default_on',
  shared_runners_setting: 'enabled',
  prevent_sharing_groups_outside_hierarchy: false,
  step_up_auth_required_oauth_provider: null,
  max_artifacts_size: null,
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
};

const read = new Map<string, GroupSettings>();

/** Every setting of a group; what was never set has its default. */
export function settingsOfGroup(group: { readonly settings: string }): GroupSettings {
  // By content, not by group: it can never be out of date, and most groups share a few.
  let settings = read.get(group.settings);
  if (!settings) {
    settings = Object.freeze({ ...defaults, ...(JSON.parse(group.settings) as Partial<GroupSettings>) });
    if (read.size >= 1000) read.clear();
    read.set(group.settings, settings);
  }
  return settings;
}

/** The settings that a new group begins with: those of the instance that groups may change. */
export function settingsForNew(instance: ApplicationSettings): GroupSettings {
  const { default_project_creation: creation, default_branch_protection: protection } = instance;
  return {
    ...defaults,
    project_creation_level: projectCreationNumbers[creation] ?? defaults.project_creation_level,
    default_branch_protection: protection,
    default_branch_protection_defaults: protectionOf(protection),
  };
}

/** Who changes the settings, and of what. */
export interface SettingsContext {
  readonly admin: boolean;
  readonly topLevel: boolean;
}

/** The settings once a request is carried out. What its sender may not set is left as it is. */
export function withChanges(
  present: GroupSettings,
  sent: SettingChanges,
  { admin, topLevel }: SettingsContext,
): GroupSettings {
  const wanted: Record<string, unknown> = {};
  const names = sent as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(defaults)) if (names[name] !== undefined) wanted[name] = names[name];
  Object.assign(wanted, fromOtherNames(sent), protectionChange(present, sent));
  if (!admin) {
    delete wanted.shared_runners_minutes_limit;
    delete wanted.extra_shared_runners_minutes_limit;
  }
  if (!topLevel) {
    delete wanted.prevent_sharing_groups_outside_hierarchy;
    delete wanted.web_based_commit_signing_enabled;
  }
  return { ...present, ...wanted };
}

/** Deprecated names and spellings, and blanks that take a text away. */
function fromOtherNames(sent: SettingChanges): Partial<GroupSettings> {
  const wanted: Partial<GroupSettings> = {};
  if (sent.emails_disabled !== undefined && sent.emails_enabled === undefined) {
    wanted.emails_enabled = !sent.emails_disabled;
  }
  if (sent.duo_availability !== undefined) wanted.ai_availability = sent.duo_availability;
  if (sent.duo_features_enabled !== undefined) wanted.ai_features_enabled = sent.duo_features_enabled;
  if (sent.lock_duo_features_enabled !== undefined) wanted.lock_ai_features_enabled = sent.lock_duo_features_enabled;
  if (sent.shared_runners_setting === 'disabled_with_override') {
    wanted.shared_runners_setting = 'disabled_and_overridable';
  }
  for (const name of texts) if (sent[name]?.trim() === '') wanted[name] = null;
  return wanted;
}

const texts = [
  'default_branch',
  'step_up_auth_required_oauth_provider',
  'ip_restriction_ranges',
  'allowed_email_domains_list',
] as const;

/** The number and the object say the same; the object wins where both are sent. */
function protectionChange(present: GroupSettings, sent: SettingChanges): Partial<GroupSettings> {
  const { default_branch_protection: number, default_branch_protection_defaults: change } = sent;
  if (number === undefined && change === undefined) return {};
  const base = number === undefined ? present.default_branch_protection_defaults : protectionOf(number);
  const merged = { ...base, ...change };
  return { default_branch_protection_defaults: merged, default_branch_protection: protectionNumber(merged) };
}

/** The text that is stored: only what differs from the defaults, so that a default can change for everyone else. */
export function packSettings(settings: GroupSettings): string {
  const own = Object.entries(settings).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(defaults[name as keyof GroupSettings]),
  );
  return JSON.stringify(Object.fromEntries(own));
}
