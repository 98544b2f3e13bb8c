import { protectionNumbers, protectionParam } from '../../../access/namespaces/branch-protection.ts';
import { projectCreationLevels, subgroupCreationLevels } from '../../../access/namespaces/creation-levels.ts';
import { nullAsBlank, nullable, type ParamsOf, param } from '../../../platform/http/params.ts';

export const wikiLevels = ['disabled', 'private', 'enabled'] as const;
export const protocols = ['ssh', 'http', 'all'] as const;
export const availabilities = ['default_on', 'default_off', 'never_on'] as const;
export const runnerSettings = ['enabled', 'disabled_and_overridable', 'disabled_and_unoverridable'] as const;

/** Settings accepted on creation and update. */
export const creationSettings = {
  share_with_group_lock: param.boolean(),
  require_two_factor_authentication: param.boolean(),
  two_factor_grace_period: param.integer({ description: 'Hours' }),
  project_creation_level: param.oneOf(projectCreationLevels),
  auto_devops_enabled: param.boolean(),
  subgroup_creation_level: param.oneOf(subgroupCreationLevels),
  emails_disabled: param.boolean({ description: 'Deprecated: the opposite of emails_enabled' }),
  emails_enabled: param.boolean(),
  show_diff_preview_in_email: param.boolean(),
  mentions_disabled: param.boolean(),
  lfs_enabled: param.boolean(),
  request_access_enabled: param.boolean(),
  default_branch: nullable(param.string()),
  default_branch_protection: param.integerOf(protectionNumbers, { description: 'Deprecated' }),
  default_branch_protection_defaults: protectionParam(),
  enabled_git_access_protocol: param.oneOf(protocols),
  membership_lock: param.boolean(),
  shared_runners_minutes_limit: nullable(param.integer({ description: 'Administrators only' })),
  extra_shared_runners_minutes_limit: nullable(param.integer({ description: 'Administrators only' })),
  wiki_access_level: param.oneOf(wikiLevels),
  experiment_features_enabled: param.boolean(),
  ai_availability: param.oneOf(availabilities),
  duo_availability: param.oneOf(availabilities, { description: 'Alias of ai_availability' }),
};

/** Settings accepted on update, including those accepted on creation. */
export const updateSettings = {
  ...creationSettings,
  shared_runners_setting: param.oneOf([...runnerSettings, 'disabled_with_override']),
  prevent_sharing_groups_outside_hierarchy: param.boolean({ description: 'Top-level groups only' }),
  allow_mfa_for_subgroups: param.boolean({
    description: 'Whether subgroups may set up two-factor authentication themselves. Top-level groups only',
  }),
  step_up_auth_required_oauth_provider: param.string(),
  max_artifacts_size: nullable(param.integer({ description: 'Megabytes' })),
  repository_size_limit: nullable(
    param.integer({ description: 'Megabytes per repository in the group, 0 for no limit. Administrators only' }),
  ),
  web_based_commit_signing_enabled: param.boolean(),
  math_rendering_limits_enabled: param.boolean(),
  lock_math_rendering_limits_enabled: param.boolean(),
  ai_features_enabled: param.boolean(),
  duo_features_enabled: param.boolean({ description: 'Alias of ai_features_enabled' }),
  lock_ai_features_enabled: param.boolean(),
  lock_duo_features_enabled: param.boolean({ description: 'Alias of lock_ai_features_enabled' }),
  file_template_project_id: nullable(param.integer()),
  prevent_forking_outside_group: param.boolean(),
  unique_project_download_limit: param.integer(),
  unique_project_download_limit_interval_in_seconds: param.integer(),
  unique_project_download_limit_allowlist: param.strings({ description: 'Usernames' }),
  unique_project_download_limit_alertlist: param.integers({ description: 'User IDs' }),
  auto_ban_user_on_excessive_projects_download: param.boolean(),
  ip_restriction_ranges: nullAsBlank(param.string({ description: 'IP addresses or subnets, separated by commas' })),
  allowed_email_domains_list: nullAsBlank(param.string({ description: 'Domains, separated by commas' })),
  only_allow_merge_if_pipeline_succeeds: param.boolean(),
  allow_merge_on_skipped_pipeline: param.boolean(),
  only_allow_merge_if_all_discussions_are_resolved: param.boolean(),
  allow_personal_snippets: param.boolean(),
};

/** Group settings in a request. */
export type SettingChanges = ParamsOf<typeof updateSettings>;
