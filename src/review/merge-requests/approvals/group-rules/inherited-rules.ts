import type { Reader } from '../../../../platform/database/database.ts';
import type { ApprovalRule } from '../tables.ts';
import * as store from './store.ts';
import type { GroupRuleRow } from './tables.ts';

/** Converts group rules to the form in which project rules are evaluated; they apply to all protected branches. */
export async function namedRules(
  db: Reader,
  rows: readonly (GroupRuleRow & { readonly project_id: number })[],
): Promise<ApprovalRule[]> {
  const named = await store.namedByGroupRules(db, [...new Set(rows.map(({ id }) => id))]);
  return rows.map(({ namespace_id: _, ...row }) => {
    const userIds = named.users.filter(({ rule_id }) => rule_id === row.id).map(({ user_id }) => user_id);
    const members = named.members.flatMap(({ rule_id, user_id }) => (rule_id === row.id ? (user_id ?? []) : []));
    return {
      rule: {
        ...row,
        merge_request_id: null,
        source_rule_id: null,
        section: null,
        report_type: null,
        applies_to_all_protected_branches: 1,
      },
      ofGroup: true,
      userIds,
      groups: named.groups.filter(({ rule_id }) => rule_id === row.id),
      eligibleIds: [...new Set([...userIds, ...members])],
      branches: [],
    };
  });
}

/** Rules of the ancestor groups of projects. */
export async function groupRulesAbove(db: Reader, projectIds: readonly number[]): Promise<ApprovalRule[]> {
  return namedRules(db, await store.rulesAbove(db, projectIds));
}
