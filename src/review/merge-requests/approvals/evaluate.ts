import type { Services } from '../../../access/services.ts';
import { type ProtectedNames, protectedNames } from '../../../code/protected-refs/public.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { matchesWildcard } from '../../../platform/wildcard.ts';
import type { MergeSettings } from '../settings.ts';
import { projectPathsOf } from '../store.ts';
import type { MergeRequestRow } from '../tables.ts';
import { isCoverageRule, withCoverageKept } from './coverage.ts';
import { groupRulesAbove } from './group-rules/inherited-rules.ts';
import { settingsOfProjects } from './settings.ts';
import { approversNamedIn, projectRules, removedRules, requestRules } from './store.ts';
import type { ApprovalRule, RuleRow } from './tables.ts';

/** Minimum number of approvals by any user; the requirements of rules apply in addition. */
export function approvalsAtLeast(
  { approvals_before_merge }: Pick<MergeRequestRow, 'approvals_before_merge'>,
  settings: Pick<MergeSettings, 'approvalsRequired' | 'fallbackApprovals'>,
  rules: readonly Pick<ApprovalRule, 'rule'>[],
): number {
  const fallback = rules.every(({ rule }) => isOwnerRule(rule)) ? settings.fallbackApprovals : 0;
  return Math.max(settings.approvalsRequired, approvals_before_merge ?? 0, fallback);
}

/**
 * The approvals that count for a rule, and whether they suffice. No more approvals are required than there are eligible
 * approvers.
 */
export function evaluateRule({ rule, eligibleIds }: ApprovalRule, approverIds: readonly number[]) {
  const anybody = rule.rule_type === 'any_approver';
  const counted = anybody ? approverIds : approverIds.filter((id) => eligibleIds.includes(id));
  const required = anybody ? rule.approvals_required : Math.min(rule.approvals_required, eligibleIds.length);
  return { counted, approved: counted.length >= required, left: Math.max(0, required - counted.length) };
}

export async function withNames(db: Reader, rules: readonly RuleRow[]): Promise<ApprovalRule[]> {
  const named = await approversNamedIn(
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
      branches: named.branches.filter(({ rule_id }) => rule_id === rule.id),
    };
  });
}

type Ruled = Pick<
  MergeRequestRow,
  'id' | 'project_id' | 'target_branch' | 'author_id' | 'base_sha' | 'head_pipeline_id'
>;

/**
 * The rules of each merge request: its own, those of its project that it neither overrides nor removes, and those of
 * ancestor groups.
 */
export async function rulesOf(
  services: Services,
  db: Reader,
  requests: readonly Ruled[],
): Promise<ReadonlyMap<number, ApprovalRule[]>> {
  if (requests.length === 0) return new Map();
  const projectIds = requests.map(({ project_id }) => project_id);
  const ids = requests.map(({ id }) => id);
  const [ofProjects, ofGroups, own] = await Promise.all([
    projectRules(db, projectIds),
    groupRulesAbove(db, projectIds),
    requestRules(db, ids),
  ]);
  const rows = [...own, ...ofProjects];
  if (rows.length === 0 && ofGroups.length === 0) return new Map(requests.map(({ id }) => [id, []]));
  const asksBranches =
    ofGroups.length > 0 || own.some(isOwnerRule) || rows.some((rule) => rule.applies_to_all_protected_branches === 1);
  const [named, removed, settings, branches, covered] = await Promise.all([
    withNames(db, rows),
    ofProjects.length > 0 ? removedRules(db, ids) : [],
    settingsOfProjects(services, db, projectIds),
    asksBranches ? namesAround(db, projectIds) : undefined,
    rows.some(isCoverageRule) ? withCoverageKept(db, requests) : new Set<number>(),
  ]);
  return new Map(
    requests.map((request) => {
      const { id, project_id } = request;
      const ownRules = named.filter(({ rule }) => rule.merge_request_id === id);
      const removedHere = removed.filter(({ merge_request_id }) => merge_request_id === id);
      const replaced = new Set([
        ...ownRules.map(({ rule }) => rule.source_rule_id),
        ...removedHere.map(({ rule_id }) => rule_id),
      ]);
      const shared = named.filter(
        ({ rule }) => rule.merge_request_id === null && rule.project_id === project_id && !replaced.has(rule.id),
      );
      const above = ofGroups.filter(({ rule }) => rule.project_id === project_id);
      const around = (branches?.get(project_id) ?? []).filter(({ name }) =>
        matchesWildcard(name, request.target_branch),
      );
      const asked = around.some(({ codeOwners }) => codeOwners);
      const authorCounts = settings.get(project_id)?.merge_requests_author_approval ?? true;
      const applying = [...shared, ...ownRules, ...above].filter((each) =>
        appliesToBranch(each, request.target_branch, around),
      );
      const inForce = applying.map((each) => withOwnersAsked(withCoverage(each, covered.has(id)), asked));
      return [id, authorCounts ? inForce : inForce.map((each) => withoutApprover(each, request.author_id))];
    }),
  );
}

/** Users whose approval the rules of a merge request require, by name or as group members. */
export async function eligibleApprovers(services: Services, request: Ruled): Promise<number[]> {
  const rules = (await rulesOf(services, services.db.read, [request])).get(request.id) ?? [];
  return [...new Set(rules.flatMap(({ eligibleIds }) => eligibleIds))];
}

const isOwnerRule = ({ rule_type }: Pick<RuleRow, 'rule_type'>) => rule_type === 'code_owner';

async function namesAround(db: Reader, projectIds: readonly number[]) {
  return protectedNames(db, [...(await projectPathsOf(db, projectIds)).values()]);
}

/** Whether a merge request has enough approvals, overall and for each rule. */
export function isApproved(
  request: Pick<MergeRequestRow, 'approvals_before_merge'>,
  settings: Pick<MergeSettings, 'approvalsRequired' | 'fallbackApprovals'>,
  rules: readonly ApprovalRule[],
  approverIds: readonly number[],
): boolean {
  const enough = approverIds.length >= approvalsAtLeast(request, settings, rules);
  return enough && rules.every((rule) => evaluateRule(rule, approverIds).approved);
}

/** Whether a rule applies to merge requests into a branch, given the protected branches that match it. */
export function appliesToBranch({ rule, branches }: ApprovalRule, branch: string, around: ProtectedNames): boolean {
  if (rule.applies_to_all_protected_branches === 1) return around.length > 0;
  return branches.length === 0 || branches.some(({ name }) => matchesWildcard(name, branch));
}

/** Code owner approval is only required if the protected branch requires it; otherwise the rules are informational. */
function withOwnersAsked(each: ApprovalRule, asked: boolean): ApprovalRule {
  return asked || !isOwnerRule(each.rule) ? each : { ...each, rule: { ...each.rule, approvals_required: 0 } };
}

/** A coverage rule only requires approvals unless the coverage is known to be kept. */
function withCoverage(each: ApprovalRule, kept: boolean): ApprovalRule {
  return kept && isCoverageRule(each.rule) ? { ...each, rule: { ...each.rule, approvals_required: 0 } } : each;
}

/** Excludes a user whose approval does not count from the eligible approvers of a rule. */
function withoutApprover(each: ApprovalRule, userId: number): ApprovalRule {
  return { ...each, eligibleIds: each.eligibleIds.filter((id) => id !== userId) };
}
