import { isBranchName } from '../../../platform/git/refs/refname.ts';
import type { ErrorMap } from '../../../platform/http/responses/ruby-dump.ts';
import { isAddressRange } from '../../../platform/http/server/address-ranges.ts';
import type { GroupSettings } from './values.ts';

function between(value: number | null, least: number, maxInteger = Number.MAX_SAFE_INTEGER): string[] {
  if (value === null) return [];
  if (value < least) return [least === 1 ? 'must be greater than 0' : `must be greater than or equal to ${least}`];
  return value > maxInteger ? [`must be less than or equal to ${maxInteger}`] : [];
}

/** Validates the values of group settings. */
export function settingProblems(settings: GroupSettings): ErrorMap {
  const maxInteger = 2_147_483_647;
  return {
    two_factor_grace_period: between(settings.two_factor_grace_period, 0, maxInteger),
    max_artifacts_size: between(settings.max_artifacts_size, 1, maxInteger),
    repository_size_limit: between(settings.repository_size_limit, 0, maxInteger),
    shared_runners_minutes_limit: between(settings.shared_runners_minutes_limit, 0, maxInteger),
    extra_shared_runners_minutes_limit: between(settings.extra_shared_runners_minutes_limit, 0, maxInteger),
    unique_project_download_limit: between(settings.unique_project_download_limit, 0, 10_000),
    unique_project_download_limit_interval_in_seconds: between(
      settings.unique_project_download_limit_interval_in_seconds,
      0,
      864_000,
    ),
    unique_project_download_limit_allowlist:
      settings.unique_project_download_limit_allowlist.length > 100 ? ['exceeds maximum length (100 usernames)'] : [],
    unique_project_download_limit_alertlist:
      settings.unique_project_download_limit_alertlist.length > 100 ? ['exceeds maximum length (100 user ids)'] : [],
    ip_restriction_ranges: parts(settings.ip_restriction_ranges).every(isAddressRange)
      ? []
      : ['is an invalid IP address range'],
    allowed_email_domains_list: parts(settings.allowed_email_domains_list).every(isDomain)
      ? []
      : ['The domain you entered is misformatted.'],
    default_branch: settings.default_branch === null || isBranchName(settings.default_branch) ? [] : ['is invalid'],
  };
}

function parts(list: string | null): string[] {
  return list === null ? [] : list.split(',').map((part) => part.trim());
}

function isDomain(text: string): boolean {
  return /^(?!-)[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}$/.test(text);
}
