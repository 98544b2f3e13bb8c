import { compileUserRegex } from '../../platform/user-regex.ts';
import { matchesWildcard } from '../../platform/wildcard.ts';
import type { WebhookRow } from './tables.ts';

export const filterStrategies = ['wildcard', 'regex', 'all_branches'] as const;

type BranchFilter = Pick<WebhookRow, 'push_events_branch_filter' | 'branch_filter_strategy'>;

/** Whether the branch filter is valid. */
export function isBranchFilter({ push_events_branch_filter: filter, branch_filter_strategy }: BranchFilter): boolean {
  if (!filter || branch_filter_strategy === 'all_branches') return true;
  if (branch_filter_strategy === 'wildcard') return filter.length <= 255 && !/[\s~^:?[\\]|\.\.|^\//.test(filter);
  try {
    compileUserRegex(filter);
    return filter.length <= 5000;
  } catch {
    return false;
  }
}

/** Whether the branch filter matches a branch. */
export function matchesBranch(hook: BranchFilter, branch: string): boolean {
  const { push_events_branch_filter: filter, branch_filter_strategy } = hook;
  if (!filter || branch_filter_strategy === 'all_branches') return true;
  if (branch_filter_strategy === 'wildcard') return matchesWildcard(filter, branch);
  return isBranchFilter(hook) && compileUserRegex(filter).matcher(branch).find();
}
