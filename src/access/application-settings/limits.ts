import type { Config } from '../../config/config.ts';
import type { Rate } from '../../platform/http/server/rate-limits.ts';
import {
  addresses,
  endpointRateLimitSetting,
  flag,
  integerSetting,
  stringListSetting,
  userIdListSetting,
} from './setting.ts';

type Throttled = 'userRate' | 'anonymousRate';

/** The three settings of a throttle; a rate given at startup enables it. */
function throttle(help: string, documented: Rate, started?: Throttled) {
  const rateOf = (config: Config) => (started && config[started]) || documented;
  return {
    enabled: flag((config) => started !== undefined && config[started] !== undefined, `Limit ${help}.`),
    requests: integerSetting(
      (config) => rateOf(config).count,
      `Maximum number of ${help} per period.`,
      [1, 2_147_483_647],
    ),
    period: integerSetting(
      (config) => Math.max(1, Math.round(rateOf(config).period / 1000)),
      'The period, in seconds.',
      [1, 2_147_483_647],
    ),
  };
}

const hour = 3_600_000;
const byUser = throttle('API requests of one signed-in user', { count: 7200, period: hour }, 'userRate');
const byAddress = throttle(
  'API requests of one IP address without sign-in',
  { count: 3600, period: hour },
  'anonymousRate',
);
const filesByUser = throttle('requests for repository files of one signed-in user', { count: 500, period: 15_000 });
const filesByAddress = throttle('requests for repository files of one IP address', { count: 125, period: 15_000 });
const packagesByUser = throttle('requests for packages of one signed-in user', { count: 1000, period: 15_000 });
const packagesByAddress = throttle('requests for packages of one IP address', { count: 800, period: 15_000 });
const largeFiles = throttle('Git LFS requests of one user', { count: 1000, period: 60_000 });

const pagesByUser = throttle('web requests of one signed-in user', { count: 7200, period: hour });
const pagesByAddress = throttle('web requests of one IP address without sign-in', { count: 3600, period: hour });
const signIns = throttle('sign-in and password forms sent from one IP address', {
  count: 10,
  period: 60_000,
});

/** Rate limits: the throttles of all requests, and the limits of single endpoints. */
export const limits = {
  throttle_authenticated_api_enabled: byUser.enabled,
  throttle_authenticated_api_requests_per_period: byUser.requests,
  throttle_authenticated_api_period_in_seconds: byUser.period,
  throttle_unauthenticated_api_enabled: byAddress.enabled,
  throttle_unauthenticated_api_requests_per_period: byAddress.requests,
  throttle_unauthenticated_api_period_in_seconds: byAddress.period,
  throttle_authenticated_files_api_enabled: filesByUser.enabled,
  throttle_authenticated_files_api_requests_per_period: filesByUser.requests,
  throttle_authenticated_files_api_period_in_seconds: filesByUser.period,
  throttle_unauthenticated_files_api_enabled: filesByAddress.enabled,
  throttle_unauthenticated_files_api_requests_per_period: filesByAddress.requests,
  throttle_unauthenticated_files_api_period_in_seconds: filesByAddress.period,
  throttle_authenticated_packages_api_enabled: packagesByUser.enabled,
  throttle_authenticated_packages_api_requests_per_period: packagesByUser.requests,
  throttle_authenticated_packages_api_period_in_seconds: packagesByUser.period,
  throttle_unauthenticated_packages_api_enabled: packagesByAddress.enabled,
  throttle_unauthenticated_packages_api_requests_per_period: packagesByAddress.requests,
  throttle_unauthenticated_packages_api_period_in_seconds: packagesByAddress.period,
  throttle_authenticated_git_lfs_enabled: largeFiles.enabled,
  throttle_authenticated_git_lfs_requests_per_period: largeFiles.requests,
  throttle_authenticated_git_lfs_period_in_seconds: largeFiles.period,

  throttle_authenticated_web_enabled: pagesByUser.enabled,
  throttle_authenticated_web_requests_per_period: pagesByUser.requests,
  throttle_authenticated_web_period_in_seconds: pagesByUser.period,
  throttle_unauthenticated_web_enabled: pagesByAddress.enabled,
  throttle_unauthenticated_web_requests_per_period: pagesByAddress.requests,
  throttle_unauthenticated_web_period_in_seconds: pagesByAddress.period,
  throttle_protected_paths_enabled: signIns.enabled,
  throttle_protected_paths_requests_per_period: signIns.requests,
  throttle_protected_paths_period_in_seconds: signIns.period,

  projects_api_limit: endpointRateLimitSetting(2000, '`GET /projects` of one user in ten minutes.'),
  projects_api_rate_limit_unauthenticated: endpointRateLimitSetting(
    400,
    '`GET /projects` of one address in ten minutes.',
  ),
  project_api_limit: endpointRateLimitSetting(400, '`GET /projects/:id` of one caller in a minute.'),
  project_invited_groups_api_limit: endpointRateLimitSetting(60, '`GET /projects/:id/invited_groups` in a minute.'),
  project_members_api_limit: endpointRateLimitSetting(200, '`GET /projects/:id/members/all` in a minute.'),
  groups_api_limit: endpointRateLimitSetting(200, '`GET /groups` of one caller in a minute.'),
  group_api_limit: endpointRateLimitSetting(400, '`GET /groups/:id` of one caller in a minute.'),
  group_projects_api_limit: endpointRateLimitSetting(600, '`GET /groups/:id/projects` of one caller in a minute.'),
  group_shared_groups_api_limit: endpointRateLimitSetting(
    60,
    '`GET /groups/:id/groups/shared` of one caller in a minute.',
  ),
  group_invited_groups_api_limit: endpointRateLimitSetting(
    60,
    '`GET /groups/:id/invited_groups` of one caller in a minute.',
  ),
  user_projects_api_limit: endpointRateLimitSetting(300, '`GET /users/:id/projects` of one caller in a minute.'),
  user_contributed_projects_api_limit: endpointRateLimitSetting(
    100,
    '`GET /users/:id/contributed_projects` in a minute.',
  ),
  user_starred_projects_api_limit: endpointRateLimitSetting(100, '`GET /users/:id/starred_projects` in a minute.'),
  users_get_by_id_limit: endpointRateLimitSetting(
    300,
    '`GET /users/:id` of one user in ten minutes; not for administrators.',
  ),
  users_get_by_id_limit_allowlist: stringListSetting('Users exempt from that limit.'),
  users_api_limit_followers: endpointRateLimitSetting(100, '`GET /users/:id/followers` of one caller in a minute.'),
  users_api_limit_following: endpointRateLimitSetting(100, '`GET /users/:id/following` of one caller in a minute.'),
  users_api_limit_status: endpointRateLimitSetting(240, '`GET /users/:id/status` of one caller in a minute.'),
  users_api_limit_ssh_keys: endpointRateLimitSetting(120, '`GET /users/:id/keys` of one caller in a minute.'),
  users_api_limit_ssh_key: endpointRateLimitSetting(120, '`GET /users/:id/keys/:key_id` of one caller in a minute.'),
  users_api_limit_gpg_keys: endpointRateLimitSetting(120, '`GET /users/:id/gpg_keys` of one caller in a minute.'),
  users_api_limit_gpg_key: endpointRateLimitSetting(
    120,
    '`GET /users/:id/gpg_keys/:key_id` of one caller in a minute.',
  ),
  members_delete_limit: endpointRateLimitSetting(
    60,
    'Members removed from one group or project by one user in a minute.',
  ),
  search_rate_limit: endpointRateLimitSetting(30, 'Lists with `search` of one user in a minute.'),
  search_rate_limit_unauthenticated: endpointRateLimitSetting(10, 'Lists with `search` of one address in a minute.'),
  search_rate_limit_allowlist: stringListSetting('Users exempt from that limit.'),
  issues_create_limit: endpointRateLimitSetting(300, 'Issues that one user opens in one project in a minute.'),
  runner_jobs_request_api_limit: endpointRateLimitSetting(2000, '`POST /jobs/request` of one runner in a minute.'),
  runner_jobs_patch_trace_api_limit: endpointRateLimitSetting(200, '`PATCH /jobs/:id/trace` of one job in a minute.'),
  runner_jobs_endpoints_api_limit: endpointRateLimitSetting(200, 'Other calls of a runner for one job in a minute.'),
  project_jobs_api_rate_limit: endpointRateLimitSetting(600, '`GET /projects/:id/jobs` of one caller in a minute.'),
  project_export_limit: endpointRateLimitSetting(6, 'Project exports requested by one user in a minute.'),
  project_download_export_limit: endpointRateLimitSetting(
    1,
    'Downloads of the export of one project by one user in a minute.',
  ),
  project_import_limit: endpointRateLimitSetting(6, 'Imports of project files by one user in a minute.'),
  group_export_limit: endpointRateLimitSetting(6, 'Group exports requested by one user in a minute.'),
  group_download_export_limit: endpointRateLimitSetting(
    1,
    'Downloads of the export of one group by one user in a minute.',
  ),
  group_import_limit: endpointRateLimitSetting(6, 'Imports of group files by one user in a minute.'),
  raw_blob_request_limit: endpointRateLimitSetting(
    300,
    'Requests for one raw file in the browser, by all callers, in a minute.',
  ),
  notes_create_limit: endpointRateLimitSetting(300, 'Comments of one user in a minute.'),
  notes_create_limit_allowlist: stringListSetting('Users exempt from that limit.'),

  globally_allowed_ips: addresses(
    'IP addresses and ranges, separated by commas, that are allowed despite the IP restrictions of groups.',
  ),
  max_number_of_repository_downloads: integerSetting(
    0,
    'Distinct projects that one user may download in the period; 0 for unlimited.',
    [0, 10_000],
  ),
  max_number_of_repository_downloads_within_time_period: integerSetting(0, 'That period, in seconds.', [0, 864_000]),
  git_rate_limit_users_allowlist: stringListSetting('Users exempt from that limit.'),
  git_rate_limit_users_alertlist: userIdListSetting('IDs of users who are emailed when somebody exceeds it.'),
  auto_ban_user_on_excessive_projects_download: flag(false, 'Ban users who exceed it.'),
};
