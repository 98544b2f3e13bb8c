import { isBranchName } from '../../platform/git/refs/refname.ts';
import { projectCreationNumbers } from '../namespaces/creation-levels.ts';
import { visibilityNames } from '../roles.ts';
import { ci } from './ci.ts';
import { idleSettings } from './idle.ts';
import { limits } from './limits.ts';
import { outgoing } from './outgoing.ts';
import { type ApplicationSetting, flag, prefix, text, whole, wholeOrNull, word, wordOrNull, words } from './setting.ts';
import { signIn } from './sign-in.ts';
import { signUp } from './sign-up.ts';

const day = 86_400_000;
const mebibyte = 1024 * 1024;

const people = {
  default_projects_limit: whole(100_000, 'Projects that a new user may have of their own.'),
  can_create_group: flag(true, 'New users may create groups at the top.'),
  allow_project_creation_for_guest_and_below: flag(
    true,
    'Whoever is at most a Guest anywhere may have projects of their own, and groups at the top.',
  ),
  user_default_external: flag(false, 'New users are external.'),
  user_defaults_to_private_profile: flag(false, 'New users keep their profile private.'),
  minimum_password_length: whole(8, 'Characters that a new password must have.', [8, 128]),
  deactivate_dormant_users: flag(
    false,
    'Every day, users are deactivated who have not been active for that long, or not at all a week after they were added.',
  ),
  delete_unconfirmed_users: flag(
    false,
    'Every day, accounts are deleted whose address was never confirmed and that nobody ever used.',
  ),
  unconfirmed_users_delete_after_days: whole(7, 'Days after which they are.', [1, 36_500]),
  user_deactivation_emails_enabled: flag(true, 'People get an email when their account is deactivated.'),
  deactivation_email_additional_text: text('What administrators add to that email.', (added) =>
    added !== null && added.length > 1000 ? 'is too long (maximum is 1000 characters)' : undefined,
  ),
  deactivate_dormant_users_period: whole(90, 'Days without activity before a user can be deactivated.', [90, 36_500]),
  require_personal_access_token_expiry: flag(true, 'Every access token has a day of expiry.'),
  max_personal_access_token_lifetime: wholeOrNull(
    null,
    'Days that a new access token may live; null for 365, or for any number where no expiry is required.',
    [1, 365],
  ),
  service_access_tokens_expiration_enforced: flag(
    true,
    'Access tokens of service accounts have a day of expiry too, where every one has.',
  ),
  resource_access_token_notify_inherited: flag(
    false,
    'Of tokens of projects and groups that are about to end, those are told too whose role comes from a group above.',
  ),
  inactive_resource_access_tokens_delete_after_days: whole(
    30,
    "Days after which the bot of a project or group is removed whose access tokens have all ended; what it wrote stays, as the ghost's.",
  ),
  disable_personal_access_tokens: flag(
    false,
    'Access tokens of people are not taken, nor made; those of projects and groups are. Only who signs in to the pages can undo it.',
  ),
  personal_access_token_prefix: prefix('glpat-', 'What new access tokens begin with.'),
  notify_on_unknown_sign_in: flag(true, 'People get an email when somebody signs in as them from an unknown address.'),
  password_authentication_enabled_for_git: flag(true, 'Git over HTTP takes the password of an account.'),
};

/** An address of a server, perhaps with a path: nothing that a path could not follow. */
function isRoot(address: string): boolean {
  if (address.length > 511 || !URL.canParse(address)) return false;
  const { protocol, username, password, search, hash } = new URL(address);
  return /^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === '';
}

const restriction = (fallback: number, kind: string) =>
  whole(fallback, `${kind} keys of SSH: the least number of bits, 0 for any, -1 to refuse them.`, [-1, 16_384]);

const keys = {
  rsa_key_restriction: restriction(2048, 'RSA'),
  dsa_key_restriction: restriction(-1, 'DSA'),
  ecdsa_key_restriction: restriction(0, 'ECDSA'),
  ed25519_key_restriction: restriction(0, 'ED25519'),
  ecdsa_sk_key_restriction: restriction(0, 'ECDSA_SK'),
  ed25519_sk_key_restriction: restriction(0, 'ED25519_SK'),
  max_ssh_key_lifetime: wholeOrNull(
    null,
    'Days that a new SSH key may be good for; null for any number, or for good.',
    [1, 365],
  ),
};

const inactivity = {
  delete_inactive_projects: flag(
    false,
    'Every day, the people of projects without activity get an email; a project that stays without is deleted, and can be restored as any other.',
  ),
  inactive_projects_delete_after_months: whole(2, 'Months without activity before a project is deleted.', [1, 1200]),
  inactive_projects_send_warning_email_after_months: whole(
    1,
    'Months without activity before the email; fewer than those before the deletion.',
    [1, 1200],
  ),
  inactive_projects_min_size_mb: whole(0, 'Size of a project, in MiB, below which it is left alone.'),
};

const places = {
  default_project_visibility: word(
    visibilityNames,
    (config) => config.defaultVisibility,
    'Visibility of a project that names none.',
  ),
  default_group_visibility: word(visibilityNames, 'private', 'Visibility of a group that names none.'),
  default_snippet_visibility: word(
    visibilityNames,
    'private',
    'Visibility that the page for a new snippet offers; for the API it is `internal`, as documented.',
  ),
  restricted_visibility_levels: words(visibilityNames, 'Levels that only administrators give to groups and projects.'),
  default_project_creation: whole(
    2,
    'Who creates projects in a new group: 0 nobody, 1 Maintainers, 2 Developers, 3 administrators, 4 Owners.',
    [0, projectCreationNumbers.length - 1],
  ),
  default_branch_name: text('Default branch of a project whose group names none.', (name) =>
    name === null || name === '' || isBranchName(name) ? undefined : 'is invalid',
  ),
  default_branch_protection: whole(
    2,
    'How the default branch is protected in new groups and for new users: 0 to 4.',
    [0, 4],
  ),
  deletion_adjourned_period: whole(
    (config) => Math.round(config.deletionDelay / day),
    'Days for which a deleted project or group can be restored.',
    [1, 90],
  ),
  file_template_project_id: wholeOrNull(null, 'Project whose files all projects offer as templates.'),
  ...inactivity,
  secret_push_protection_available: flag(
    true,
    'Pushes that add a known secret are refused in the projects that are protected.',
  ),
  default_project_deletion_protection: flag(false, 'Only administrators delete projects.'),
  allow_group_owners_to_manage_ldap: flag(
    true,
    'Owners link their groups to those of a directory; otherwise only administrators do.',
  ),
  lock_memberships_to_ldap: flag(
    false,
    'Where there is a directory, only administrators change who has a role in a group or in what is inside one, and share these.',
  ),
  time_tracking_limit_to_hours: flag(false, 'Times are said in hours and minutes, never in days, weeks or months.'),
  allow_immediate_namespaces_deletion: flag(true, 'Whoever deletes need not wait: `permanently_remove` is taken.'),
};

/** Where projects may be brought from, by the names that imports have. */
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
  import_sources: words(importSources, 'Where projects and gists may be brought from.', importSources),
  allow_contribution_mapping_to_admins: flag(false, 'What people of other hosts did may be handed to administrators.'),
  project_export_enabled: flag(true, 'Projects are exported as files.'),
  bulk_import_enabled: flag(
    false,
    'Groups and projects are brought from other servers, and given to them, one relation after the other.',
  ),
  bulk_import_max_download_file_size: whole(5120, 'Largest file of a relation that is fetched, in MiB; 0 for 50 GiB.'),
  max_export_size: whole(0, 'Largest file that a project is exported as, in MiB; 0 for any.'),
  max_import_size: whole(0, 'Largest file that a project is imported from, in MiB; 0 for 5 GiB.'),
  max_decompressed_archive_size: whole(25_600, 'Most that such a file may unpack to, in MiB; 0 for 50 GiB.'),
  decompress_archive_file_timeout: whole(210, 'Seconds that unpacking it may take; 0 for any number.'),
  max_import_remote_file_size: whole(10_240, 'The same where it is fetched from elsewhere; 0 for any.'),
};

const watching = {
  prometheus_metrics_enabled: flag(
    true,
    '`/-/metrics` tells how the server does, where it is asked from an address that may.',
  ),
};

const git = {
  custom_http_clone_url_root: text(
    'What stands before the path of a repository in its address for HTTP; null for the address of the server.',
    (root) => (root === null || root === '' || isRoot(root) ? undefined : 'is invalid'),
  ),
  enabled_git_access_protocol: wordOrNull(['ssh', 'http'], 'The only protocol that git may use; null for both.'),
  diff_max_patch_bytes: whole(204_800, 'Bytes from which the patch of one file is not shown.', [1, 512_000]),
  diff_max_files: whole(1000, 'Files of a diff that are shown.', [1, 3000]),
  diff_max_lines: whole(50_000, 'Lines of a diff that are shown.', [1, 100_000]),
  push_event_activities_limit: whole(3, 'Branches or tags of one push that are each told of by an event of their own.'),
  push_event_hooks_limit: whole(3, 'Branches or tags of one push; where there are more, no webhook is told of it.'),
  mirror_available: flag(true, 'Maintainers set up mirrors; otherwise only administrators do.'),
  mirror_max_delay: whole(300, 'Minutes after which a mirror is pulled again at the latest.', [30, 1_000_000]),
  mirror_max_capacity: whole(
    100,
    'Mirrors that are pulled, or wait for it, at a time; those whose time comes meanwhile stay where they are. Who asks for one is not kept waiting.',
    [1, 1_000_000],
  ),
  mirror_capacity_threshold: whole(
    50,
    'Of these, so many must be free before a mirror that has ended lets others begin at once; otherwise they do within a minute.',
    [1, 1_000_000],
  ),
  max_attachment_size: whole(100, 'Largest file uploaded to a project, in MiB.', [1, 1_000_000]),
  receive_max_input_size: wholeOrNull(
    (config) => Math.ceil(config.maxPush / mebibyte),
    'Largest push, in MiB; null for the size that the server was started with.',
    [1, 100_000_000],
  ),
  repository_size_limit: whole(
    0,
    'Largest repository of a project with its large files, in MiB; what would make it larger is refused. 0 for any.',
    [0, 100_000_000],
  ),
  snippet_size_limit: whole(52_428_800, 'Largest file of a snippet, in bytes.'),
};

const approvals = {
  prevent_merge_requests_author_approval: flag(false, 'Nobody approves merge requests of their own, in any project.'),
  prevent_merge_requests_committers_approval: flag(
    false,
    'Nobody approves merge requests that they have added commits to, in any project.',
  ),
  disable_overriding_approvers_per_merge_request: flag(
    false,
    'Merge requests have no approval rules of their own, in any project.',
  ),
};

/** Every setting that administrators may change while the server runs. */
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

/** The settings of the instance, each set or at its default. */
export type ApplicationSettings = {
  readonly [K in Names]: (typeof applicationSettings)[K] extends ApplicationSetting<infer T> ? T : never;
};

/** The same list for those who go through it by name, with those that are only kept. */
export const settingRules: Readonly<Record<string, ApplicationSetting<unknown>>> = {
  ...applicationSettings,
  ...idleSettings,
};
