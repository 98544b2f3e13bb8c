import type { Reader } from '../../../platform/database/database.ts';
import type { MergeRequestRow } from '../tables.ts';
import { namedBy, projectRules, requestRules } from './store.ts';
import type { RuleRow } from './tables.ts';

/** A rule with those whose approval counts for it; for a rule of anybody there are none to name. */
export interface ApprovalRule {
  readonly rule: RuleRow;
  readonly userIds: readonly number[];
  readonly groups: readonly { readonly id: number; readonly name: string; readonly full_path: string }[];
  readonly eligibleIds: readonly number[];
}

/** Whose approvals count for a rule, and whether they are enough. More than there are eligible cannot be asked for. */
export function judge({ rule, eligibleIds }: ApprovalRule, approverIds: readonly number[]) {
  const anybody = rule.rule_type === 'any_approver';
  const counted = anybody ? approverIds : approverIds.filter((id) => eligibleIds.includes(id));
  const required = anybody ? rule.approvals_required : Math.min(rule.approvals_required, eligibleIds.length);
  return { counted, approved: counted.length >= required, left: Math.max(0, required - counted.length) };
}

export async function withNames(db: Reader, rules: readonly RuleRow[]): Promise<ApprovalRule[]> {
  const named = await namedBy(
    db,
    rules.map(({ id }) => id),
  );
  return rules.map((rule) => {
    const userIds = named.users.filter(({ rule_id }) => rule_id === rule.id).map(({ user_id }) => user_id);
    const members = named.members.flatMap(({ rule_id, user_id }) => (rule_id === rule.id ? (user_id ?? []) : []));
    return {
      rule,
      userIds,
      groups: named.groups.filter(({ rule_id }) => rule_id === rule.id),
      eligibleIds: [...new Set([...userIds, ...members])],
    };
  });
}

/** The rules of each merge request: its own, and those of its project that it has none in place of. */
export async function rulesOf(
  db: Reader,
  requests: readonly Pick<MergeRequestRow, 'id' | 'project_id'>[],
): Promise<ReadonlyMap<number, ApprovalRule[]>> {
  const [ofProjects, own] = await Promise.all([
    projectRules(
      db,
      requests.map(({ project_id }) => project_id),
    ),
    requestRules(
      db,
      requests.map(({ id }) => id),
    ),
  ]);
  const named = await withNames(db, [...own, ...ofProjects]);
  return new Map(
    requests.map(({ id, project_id }) => {
      const mine = named.filter(({ rule }) => rule.merge_request_id === id);
      const replaced = new Set(mine.map(({ rule }) => rule.source_rule_id));
      const shared = named.filter(
        ({ rule }) => rule.merge_request_id === null && rule.project_id === project_id && !replaced.has(rule.id),
      );
      return [id, [...shared, ...mine]];
    }),
  );
}
