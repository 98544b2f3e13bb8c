import { isBranchName } from '../../platform/git/refs/refname.ts';
import { fullProtection } from '../namespaces/branch-protection.ts';
import { projectCreationNumbers } from '../namespaces/creation-levels.ts';
import { visibilityNames } from '../roles.ts';
import { ci } from './ci.ts';
import { settingsWithoutEffect } from './idle.ts';
import { limits } from './limits.ts';
import { outgoing } from './outgoing.ts';
import {
  type ApplicationSetting,
  branchProtectionSetting,
  choiceListSetting,
  choiceSetting,
  choiceSettingOrNull,
  flag,
  integerSetting,
  integerSettingOrNull,
  prefix,
  text,
} from './setting.ts';
import { signIn } from './sign-in.ts';
import { signUp } from './sign-up.ts';

const day = 86_400_000;
const mebibyte = 1024 * 1024;

const people = {
  default_projects_limit: integerSetting(100_000, 'Maximum number of personal projects of a new user.'),
  can_create_group: flag(true, 'New users may create top-level groups.'),
  allow_project_creation_for_guest_and_below: flag(
    true,
    'Users whose highest role is Guest may create personal projects and top-level groups.',
  ),
  user_default_external: flag(false, 'New users are external.'),
  user_defaults_to_private_profile: flag(false, 'Profiles of new users are private.'),
  updating_name_disabled_for_users: flag(false, 'Only administrators change names.'),
  allow_account_deletion: flag(true, 'Users may delete their own account.'),
  minimum_password_length: integerSetting(8, 'Minimum length of new passwords.', [8, 128]),
  deactivate_dormant_users: flag(
    false,
    'Deactivate, daily, users without activity for `deactivate_dormant_users_period`, and users who were never active a week after they were created.',
  ),
  delete_unconfirmed_users: flag(
    false,
    'Delete, daily, accounts that never confirmed their address and never signed in.',
  ),
  unconfirmed_users_delete_after_days: integerSetting(7, 'Days after which they are deleted.', [1, 36_500]),
  user_deactivation_emails_enabled: flag(true, 'Email users when their account is deactivated.'),
  deactivation_email_additional_text: text('Text added to that email.', (added) =>
    added !== null && added.length > 1000 ? 'is too long (maximum is 1000 characters)' : undefined,
  ),
  deactivate_dormant_users_period: integerSetting(
    90,
    'Days without activity before a user counts as dormant.',
    [90, 36_500],
  ),
  require_personal_access_token_expiry: flag(true, 'Access tokens must have an expiry date.'),
  max_personal_access_token_lifetime: integerSettingOrNull(
    null,
    'Maximum lifetime of new access tokens in days; null for 365, or unlimited where no expiry is required.',
    [1, 365],
  ),
  service_access_tokens_expiration_enforced: flag(
    true,
    'Access tokens of service accounts must have an expiry date too, where others must.',
  ),
  resource_access_token_notify_inherited: flag(
    false,
    'Warnings about expiring project and group tokens go to inherited members too.',
  ),
  inactive_resource_access_tokens_delete_after_days: integerSetting(
    30,
    'Days after which bots whose access tokens have all ended are removed; what they wrote passes to the ghost user.',
  ),
  disable_personal_access_tokens: flag(
    false,
    'Personal access tokens are disabled; project and group tokens are not. This can only be undone in the browser.',
  ),
  personal_access_token_prefix: prefix('glpat-', 'Prefix of new access tokens.'),
  notify_on_unknown_sign_in: flag(true, 'Email users about sign-ins from unknown IP addresses.'),
  password_authentication_enabled_for_git: flag(true, 'Accept account passwords for Git over HTTP.'),
};

/** Whether a text is an absolute URL to which paths can be appended. */
function isRoot(address: string): boolean {
  if (address.length > 511 || !URL.canParse(address)) return false;
  const { protocol, username, password, search, hash } = new URL(address);
  return /^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === '';
}

const restriction = (fallback: number, kind: string) =>
  integerSetting(fallback, `${kind} SSH keys: minimum number of bits; 0 for any, -1 to reject them.`, [-1, 16_384]);

const keys = {
  rsa_key_restriction: restriction(2048, 'RSA'),
  dsa_key_restriction: restriction(-1, 'DSA'),
  ecdsa_key_restriction: restriction(0, 'ECDSA'),
  ed25519_key_restriction: restriction(0, 'ED25519'),
  ecdsa_sk_key_restriction: restriction(0, 'ECDSA_SK'),
  ed25519_sk_key_restriction: restriction(0, 'ED25519_SK'),
  max_ssh_key_lifetime: integerSettingOrNull(
    null,
    'Maximum lifetime of new SSH keys in days; null for unlimited.',
    [1, 365],
  ),
};

const inactivity = {
  delete_inactive_projects: flag(
    false,
    'Warn the members of inactive projects by email, then delete the projects; they can be restored like others.',
  ),
  inactive_projects_delete_after_months: integerSetting(
    2,
    'Months without activity before a project is deleted.',
    [1, 1200],
  ),
  inactive_projects_send_warning_email_after_months: integerSetting(
    1,
    'Months without activity before the warning; must be less than those before the deletion.',
    [1, 1200],
  ),
  inactive_projects_min_size_mb: integerSetting(0, 'Projects smaller than this, in MiB, are exempt.'),
};

const places = {
  default_project_visibility: choiceSetting(
    visibilityNames,
    (config) => config.defaultVisibility,
    'Default visibility of projects.',
  ),
  default_group_visibility: choiceSetting(visibilityNames, 'private', 'Default visibility of groups.'),
  default_snippet_visibility: choiceSetting(
    visibilityNames,
    'private',
    "Visibility preselected for a new snippet; the API's default is `internal`, as documented.",
  ),
  restricted_visibility_levels: choiceListSetting(
    visibilityNames,
    'Visibility levels that only administrators may set.',
  ),
  default_project_creation: integerSetting(
    2,
    'Who may create projects in a new group: 0 nobody, 1 Maintainers, 2 Developers, 3 administrators, 4 Owners.',
    [0, projectCreationNumbers.length - 1],
  ),
  default_branch_name: text('Default branch of projects whose group sets none.', (name) =>
    name === null || name === '' || isBranchName(name) ? undefined : 'is invalid',
  ),
  default_branch_protection: integerSetting(
    2,
    'Default branch protection in new groups and for new users: 0 to 4.',
    [0, 4],
  ),
  default_branch_protection_defaults: branchProtectionSetting(
    fullProtection,
    'The same in detail, as in the settings of groups: `allowed_to_push`, `allowed_to_merge`, `allow_force_push`, `code_owner_approval_required` and `developer_can_initial_push`.',
  ),
  deletion_adjourned_period: integerSetting(
    (config) => Math.round(config.deletionDelay / day),
    'Days for which deleted projects and groups can be restored.',
    [1, 90],
  ),
  file_template_project_id: integerSettingOrNull(null, 'Project with templates for all projects.'),
  ...inactivity,
  secret_push_protection_available: flag(true, 'Projects can enable secret push protection.'),
  default_project_deletion_protection: flag(false, 'Only administrators may delete projects.'),
  allow_group_owners_to_manage_ldap: flag(
    true,
    'Owners may link their groups to LDAP groups; otherwise only administrators may.',
  ),
  lock_memberships_to_ldap: flag(
    false,
    'With LDAP, only administrators may change members of groups and of their projects, and share them.',
  ),
  lock_memberships_to_saml: flag(
    false,
    'With SAML, only administrators may change members of groups and of their projects, and share them.',
  ),
  time_tracking_limit_to_hours: flag(false, 'Show time tracking in hours and minutes only.'),
  allow_immediate_namespaces_deletion: flag(true, 'Allow deletion without delay (`permanently_remove`).'),
};

/** The import sources, by their names in the API. */
export const importSources = [
  'github',
  'bitbucket',
  'bitbucket_server',
  'fogbugz',
  'git',
  'gitlab_project',
  'gitea',
  'manifest',
] as const;

const copies = {
  import_sources: choiceListSetting(importSources, 'Enabled import sources.', importSources),
  allow_contribution_mapping_to_admins: flag(
    false,
    'Contributions of users of other hosts may be reassigned to administrators.',
  ),
  project_export_enabled: flag(true, 'Enable project exports.'),
  bulk_import_enabled: flag(false, 'Enable direct transfer, from and to other servers.'),
  bulk_import_max_download_file_size: integerSetting(
    5120,
    'Maximum size of a downloaded relation file, in MiB; 0 for 50 GiB.',
  ),
  max_export_size: integerSetting(0, 'Maximum size of a project export, in MiB; 0 for unlimited.'),
  max_import_size: integerSetting(0, 'Maximum size of an imported project file, in MiB; 0 for 5 GiB.'),
  max_decompressed_archive_size: integerSetting(25_600, 'Maximum unpacked size of such a file, in MiB; 0 for 50 GiB.'),
  decompress_archive_file_timeout: integerSetting(210, 'Maximum seconds for unpacking it; 0 for unlimited.'),
  max_import_remote_file_size: integerSetting(
    10_240,
    'Maximum size of a project file imported from a URL, in MiB; 0 for unlimited.',
  ),
};

const watching = {
  prometheus_metrics_enabled: flag(true, 'Serve `/-/metrics` to allowed addresses.'),
};

const git = {
  custom_http_clone_url_root: text("Base of HTTP clone URLs; null for the server's URL.", (root) =>
    root === null || root === '' || isRoot(root) ? undefined : 'is invalid',
  ),
  enabled_git_access_protocol: choiceSettingOrNull(
    ['ssh', 'http'],
    'The only protocol allowed for Git; null for both.',
  ),
  diff_max_patch_bytes: integerSetting(204_800, "Size in bytes from which a file's patch is collapsed.", [1, 512_000]),
  diff_max_files: integerSetting(1000, 'Maximum number of files shown in a diff.', [1, 3000]),
  diff_max_lines: integerSetting(50_000, 'Maximum number of lines shown in a diff.', [1, 100_000]),
  push_event_activities_limit: integerSetting(3, 'Maximum number of refs in one push that get separate events.'),
  push_event_hooks_limit: integerSetting(3, 'Maximum number of refs in one push for which webhooks are triggered.'),
  mirror_available: flag(true, 'Maintainers may set up mirrors; otherwise only administrators may.'),
  mirror_max_delay: integerSetting(300, 'Maximum minutes between two updates of a pull mirror.', [30, 1_000_000]),
  mirror_max_capacity: integerSetting(
    100,
    'Maximum number of pull mirrors updating or queued at a time; further due mirrors wait. Updates requested by a user are exempt.',
    [1, 1_000_000],
  ),
  mirror_capacity_threshold: integerSetting(
    50,
    'Free capacity required for a finished mirror to start further ones immediately; otherwise they start within a minute.',
    [1, 1_000_000],
  ),
  max_attachment_size: integerSetting(100, 'Maximum size of an uploaded file, in MiB.', [1, 1_000_000]),
  receive_max_input_size: integerSettingOrNull(
    (config) => Math.ceil(config.maxPush / mebibyte),
    'Maximum size of a push, in MiB; null for the startup setting.',
    [1, 100_000_000],
  ),
  repository_size_limit: integerSetting(
    0,
    'Maximum size of a repository with its LFS files, in MiB; 0 for unlimited.',
    [0, 100_000_000],
  ),
  snippet_size_limit: integerSetting(52_428_800, 'Maximum size of a snippet file, in bytes.'),
};

const approvals = {
  prevent_merge_requests_author_approval: flag(false, 'Authors may not approve their merge requests, in any project.'),
  prevent_merge_requests_committers_approval: flag(
    false,
    'Committers may not approve merge requests that they added commits to, in any project.',
  ),
  disable_overriding_approvers_per_merge_request: flag(
    false,
    'Approval rules may not be changed for single merge requests, in any project.',
  ),
};

/** Every setting that administrators can change at runtime. */
export const applicationSettings = {
  ...people,
  ...signIn,
  ...signUp,
  ...keys,
  ...places,
  ...watching,
  ...git,
  ...copies,
  ...approvals,
  ...ci,
  ...limits,
  ...outgoing,
};

type Names = keyof typeof applicationSettings;

/** The settings of the instance, each as set or with its default. */
export type ApplicationSettings = {
  readonly [K in Names]: (typeof applicationSettings)[K] extends ApplicationSetting<infer T> ? T : never;
};

/** All settings by name, including those stored without effect. */
export const settingRules: Readonly<Record<string, ApplicationSetting<unknown>>> = {
  ...applicationSettings,
  ...settingsWithoutEffect,
};
