import type { Actor } from '../../../access/actor.ts';
import { selfAndAncestorIds } from '../../../access/namespaces/hierarchy.ts';
import type { Services } from '../../../access/services.ts';
import { type ProjectSubject, settingsOf } from '../../../access/subjects.ts';
import { visibleGroupIds } from '../../../access/visibility/visible-ids.ts';
import { branchRulesById, presentBranchRules, protectedNames } from '../../../code/protected-refs/public.ts';
import { type GroupEntity, presentGroups } from '../../../namespaces/groups/public.ts';
import { findProject } from '../../../namespaces/projects/public.ts';
import { type BasicUserEntity, basicUsers } from '../../../people/users/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { Invalid, NotFound, ParameterError } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { matchesWildcard } from '../../../platform/wildcard.ts';
import { enqueueAutoMerges } from '../merge/auto-merge-queue.ts';
import { mergeSettings } from '../settings.ts';
import { rejectDuplicateRule } from './duplicate-rules.ts';
import { appliesToBranch, withNames } from './evaluate.ts';
import type { RuleChange, RuleFields } from './schema.ts';
import * as store from './store.ts';
import type { ApprovalRule, RuleRow } from './tables.ts';

export const maxRequired = 100;
const maxNamed = 1000;

type Users = ReadonlyMap<number, BasicUserEntity>;

/** Users and groups named in rules that are shown; groups that the caller may not see are hidden. */
interface Shown {
  readonly users: Users;
  readonly groups: ReadonlyMap<number, GroupEntity>;
}

export function peopleOf(
  services: Services,
  rules: readonly ApprovalRule[],
  more: readonly number[] = [],
): Promise<Users> {
  const ids = rules.flatMap(({ userIds, eligibleIds }) => [...userIds, ...eligibleIds]);
  return basicUsers(services.db.read, [...ids, ...more], services.externalUrl);
}

export async function visibleApprovers(
  services: Services,
  caller: Actor,
  rules: readonly ApprovalRule[],
): Promise<Shown> {
  const named = new Set(rules.flatMap(({ groups }) => groups.map(({ id }) => id)));
  const [users, visible] = await Promise.all([
    peopleOf(services, rules),
    visibleGroupIds(services.db.read, caller, [...named]),
  ]);
  const rows = await store.groupsById(services.db.read, [...visible]);
  const groups = rows.length === 0 ? [] : await presentGroups(services, caller, rows);
  return { users, groups: new Map(groups.map((group) => [group.id, group])) };
}

export function fieldsOf(
  { rule, userIds, eligibleIds, groups }: ApprovalRule,
  { users, groups: groupsShown }: Shown,
): RuleFields {
  const visible = groups.flatMap(({ id }) => groupsShown.get(id) ?? []);
  const shown = (ids: readonly number[]) => ids.flatMap((id) => users.get(id) ?? []);
  return {
    id: rule.id,
    name: rule.name,
    rule_type: rule.rule_type,
    eligible_approvers: shown(eligibleIds),
    approvals_required: rule.approvals_required,
    users: shown(userIds),
    groups: visible,
    contains_hidden_groups: visible.length < groups.length,
    report_type: rule.report_type,
  };
}

async function presentProjectRules(services: Services, caller: Actor, rows: readonly RuleRow[]) {
  const rules = await withNames(services.db.read, rows);
  const ids = [...new Set(rules.flatMap(({ branches }) => branches.map(({ id }) => id)))];
  const [named, branches] = await Promise.all([
    visibleApprovers(services, caller, rules),
    branchRulesById(services.db.read, ids),
  ]);
  const shown = await presentBranchRules(services.db.read, branches);
  return rules.map((rule) => ({
    ...fieldsOf(rule, named),
    protected_branches: shown.filter(({ id }) => rule.branches.some((branch) => branch.id === id)),
    applies_to_all_protected_branches: rule.rule.applies_to_all_protected_branches === 1,
  }));
}

export async function listProjectRules(
  services: Services,
  caller: Actor,
  { project }: ProjectSubject,
  { offset, perPage }: PageRequest,
) {
  const rows = await store.projectRules(services.db.read, [project.id]);
  return new Page(await presentProjectRules(services, caller, rows.slice(offset, offset + perPage)), rows.length);
}

/** The rules of a project, optionally only those that apply to one branch. */
export async function rulesForBranch(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  branch: string | undefined,
) {
  const { read } = services.db;
  const { project } = subject;
  const rows = await store.projectRules(read, [project.id]);
  const [all, names] = await Promise.all([withNames(read, rows), protectedNames(read, [project])]);
  const around = (names.get(project.id) ?? []).filter(({ name }) => matchesWildcard(name, branch ?? ''));
  const wanted = branch === undefined ? all : all.filter((rule) => appliesToBranch(rule, branch, around));
  const rules = await presentProjectRules(
    services,
    caller,
    wanted.map(({ rule }) => rule),
  );
  return { rules, fallback_approvals_required: fallbackRequired(subject) };
}

/** Number of approvals required if no rule requires more. */
export function fallbackRequired({ project }: ProjectSubject): number {
  const { approvalsRequired, fallbackApprovals } = mergeSettings(settingsOf(project));
  return Math.max(approvalsRequired, fallbackApprovals);
}

export async function requireFirst<T>(presented: Promise<T[]>): Promise<T> {
  const [entity] = await presented;
  if (!entity) throw NotFound.record();
  return entity;
}

export async function requireProjectRule(
  services: Services,
  { project }: ProjectSubject,
  id: number,
): Promise<RuleRow> {
  const rule = (await store.projectRules(services.db.read, [project.id])).find((row) => row.id === id);
  if (!rule) throw NotFound.record();
  return rule;
}

export async function getProjectRule(services: Services, caller: Actor, subject: ProjectSubject, id: number) {
  return requireFirst(presentProjectRules(services, caller, [await requireProjectRule(services, subject, id)]));
}

export function checkRule(change: RuleChange): void {
  const { approvals_required: required, name } = change;
  if (name !== undefined && name.trim() === '') throw new Invalid({ name: ["can't be blank"] });
  if (required !== undefined && (required < 0 || required > maxRequired)) {
    throw new Invalid({ approvals_required: [`must be in 0..${maxRequired}`] });
  }
  const { user_ids = [], usernames = [], group_ids = [] } = change;
  for (const [field, named] of [['users', [...user_ids, ...usernames]] as const, ['groups', group_ids] as const]) {
    if (named.length > maxNamed) throw new Invalid({ [field]: [`total must be less than or equal to ${maxNamed}`] });
  }
}

/**
 * Users and groups named in a change: requested groups that the caller may see, plus previously named ones that the
 * caller may not see.
 */
export async function namesIn(
  services: Services,
  caller: Actor,
  { user_ids = [], usernames = [], group_ids = [] }: RuleChange,
  before: readonly number[] = [],
) {
  const { read } = services.db;
  const [users, wanted, visible] = await Promise.all([
    store.usersNamed(read, user_ids, usernames),
    store.groupsNumbered(read, group_ids),
    visibleGroupIds(read, caller, [...group_ids, ...before]),
  ]);
  const hidden = before.filter((id) => !visible.has(id));
  return { users, groups: [...wanted.filter((id) => visible.has(id)), ...hidden] };
}

/** Validates that the branches are protected by the project or an ancestor group. */
export async function checkBranches(
  { db }: Services,
  projectId: number,
  ids: readonly number[],
): Promise<readonly number[]> {
  if (ids.length === 0) return ids;
  if (ids.length > maxNamed) {
    throw new Invalid({ protected_branches: [`total must be less than or equal to ${maxNamed}`] });
  }
  const project = await findProject(db.read, projectId);
  const above = project ? await selfAndAncestorIds(db.read, project.namespace_id) : [];
  const found = (await branchRulesById(db.read, ids)).filter(
    ({ project_id, namespace_id }) =>
      project_id === projectId || (namespace_id !== null && above.includes(namespace_id)),
  );
  if (found.length < new Set(ids).size) throw new Invalid({ protected_branches: ['must exist'] });
  return ids;
}

type RuleOwner = Pick<RuleRow, 'project_id' | 'merge_request_id' | 'source_rule_id'>;

/**
 * A rule without approvers applies to any user. A second one in a merge request is only a marker, as created by
 * Renovate.
 */
async function typeWithoutApprovers(
  trx: Writer,
  { merge_request_id: id }: RuleOwner,
): Promise<'any_approver' | 'regular'> {
  if (id === null) return 'any_approver';
  const own = await store.requestRules(trx, [id]);
  return own.some(({ rule_type }) => rule_type === 'any_approver') ? 'regular' : 'any_approver';
}

export async function addRule(
  services: Services,
  caller: Actor,
  place: RuleOwner,
  wanted: RuleChange,
  before: readonly number[] = [],
): Promise<RuleRow> {
  checkRule(wanted);
  const names = await namesIn(services, caller, wanted, before);
  const onBranches = await checkBranches(services, place.project_id, wanted.protected_branch_ids ?? []);
  const withoutApprovers = names.users.length === 0 && names.groups.length === 0;
  const report_type = wanted.report_type ?? null;
  const given = report_type === null ? wanted.rule_type : 'report_approver';
  if (given === 'report_approver' && report_type === null) throw new ParameterError('report_type is missing');
  const now = Date.now();
  return services.db.write(async (trx) => {
    const named = {
      name: wanted.name ?? 'All members',
      rule_type: given ?? (withoutApprovers ? await typeWithoutApprovers(trx, place) : 'regular'),
    };
    await rejectDuplicateRule(trx, place, named);
    const rule = await store.insertRule(trx, {
      ...place,
      ...named,
      report_type,
      approvals_required: wanted.approvals_required ?? 0,
      applies_to_all_protected_branches: wanted.applies_to_all_protected_branches ? 1 : 0,
      created_at: now,
      updated_at: now,
    });
    await store.setApprovers(trx, rule.id, names.users, names.groups);
    await store.setBranches(trx, rule.id, onBranches);
    await enqueueAutoMerges(services, trx, place.project_id);
    return rule;
  });
}

export async function changeRule(
  services: Services,
  caller: Actor,
  rule: RuleRow,
  wanted: RuleChange,
): Promise<RuleRow> {
  checkRule(wanted);
  // Groups that the caller may not see are kept unless they are to be removed.
  const groupsBefore = wanted.remove_hidden_groups ? [] : await store.groupsOf(services.db.read, rule.id);
  const names = await namesIn(services, caller, wanted, groupsBefore);
  const { applies_to_all_protected_branches: everywhere, protected_branch_ids: ids, name, approvals_required } = wanted;
  const onBranches = ids && (await checkBranches(services, rule.project_id, ids));
  return services.db.write(async (trx) => {
    if (name !== undefined && name !== rule.name) await rejectDuplicateRule(trx, rule, { ...rule, name });
    // Users and groups that are left out are removed from the rule.
    await store.setApprovers(trx, rule.id, names.users, names.groups);
    if (onBranches) await store.setBranches(trx, rule.id, onBranches);
    await enqueueAutoMerges(services, trx, rule.project_id);
    return store.updateRule(trx, rule.id, {
      ...(name !== undefined && { name }),
      ...(approvals_required !== undefined && { approvals_required }),
      ...(everywhere !== undefined && { applies_to_all_protected_branches: everywhere ? 1 : 0 }),
      updated_at: Date.now(),
    });
  });
}

export async function createProjectRule(
  services: Services,
  caller: Actor,
  { project }: ProjectSubject,
  wanted: RuleChange,
) {
  const place = { project_id: project.id, merge_request_id: null, source_rule_id: null };
  return requireFirst(presentProjectRules(services, caller, [await addRule(services, caller, place, wanted)]));
}

export async function updateProjectRule(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  id: number,
  wanted: RuleChange,
) {
  const rule = await requireProjectRule(services, subject, id);
  return requireFirst(presentProjectRules(services, caller, [await changeRule(services, caller, rule, wanted)]));
}

export async function deleteProjectRule(services: Services, subject: ProjectSubject, id: number): Promise<void> {
  const rule = await requireProjectRule(services, subject, id);
  await services.db.write(async (trx) => {
    await store.deleteRule(trx, rule.id);
    await enqueueAutoMerges(services, trx, rule.project_id);
  });
}
