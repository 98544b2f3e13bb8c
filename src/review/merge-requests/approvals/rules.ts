import type { Actor } from '../../../access/actor.ts';
import { ancestorsOf } from '../../../access/namespaces/hierarchy.ts';
import type { Services } from '../../../access/services.ts';
import { type ProjectSubject, settingsOf } from '../../../access/subjects.ts';
import { visibleGroupIds } from '../../../access/visibility/visible-among.ts';
import { branchRulesById, presentBranchRules, protectedNames } from '../../../code/protected-refs/public.ts';
import { changeSettings, findProject, updateProject } from '../../../namespaces/projects/public.ts';
import { type BasicUserEntity, basicUsers } from '../../../people/users/public.ts';
import { BadRequest, Forbidden, Invalid, NotFound } from '../../../platform/http/errors.ts';
import { matchesWildcard } from '../../../platform/wildcard.ts';
import { mergeSettings } from '../settings.ts';
import { approvals } from '../store.ts';
import type { MergeRequestRow } from '../tables.ts';
import { isFor, judge, rulesOf, withNames } from './evaluate.ts';
import type { RuleChange, RuleFields, SettingsChange } from './schema.ts';
import { type ApprovalSettings, approvalSettings, readSettings, settingNames } from './settings.ts';
import * as store from './store.ts';
import type { ApprovalRule, RuleRow } from './tables.ts';

const mostRequired = 100;
const mostNamed = 1000;

type Users = ReadonlyMap<number, BasicUserEntity>;

/** What of those whom rules name is shown: groups that the caller may not know of are not. */
interface Shown {
  readonly users: Users;
  readonly groupIds: ReadonlySet<number>;
}

function peopleOf(services: Services, rules: readonly ApprovalRule[], more: readonly number[] = []): Promise<Users> {
  const ids = rules.flatMap(({ userIds, eligibleIds }) => [...userIds, ...eligibleIds]);
  return basicUsers(services.db.read, [...ids, ...more], services.externalUrl);
}

export async function shownOf(services: Services, caller: Actor, rules: readonly ApprovalRule[]): Promise<Shown> {
  const named = new Set(rules.flatMap(({ groups }) => groups.map(({ id }) => id)));
  const [users, groupIds] = await Promise.all([
    peopleOf(services, rules),
    visibleGroupIds(services.db.read, caller, [...named]),
  ]);
  return { users, groupIds };
}

export function fieldsOf(
  { externalUrl }: Services,
  { rule, userIds, eligibleIds, groups }: ApprovalRule,
  { users, groupIds }: Shown,
): RuleFields {
  const visible = groups.filter(({ id }) => groupIds.has(id));
  const shown = (ids: readonly number[]) => ids.flatMap((id) => users.get(id) ?? []);
  return {
    id: rule.id,
    name: rule.name,
    rule_type: rule.rule_type,
    eligible_approvers: shown(eligibleIds),
    approvals_required: rule.approvals_required,
    users: shown(userIds),
    groups: visible.map(({ id, name, full_path }) => ({
      id,
      name,
      full_path,
      web_url: `${externalUrl}/groups/${full_path}`,
    })),
    contains_hidden_groups: visible.length < groups.length,
    report_type: null,
  };
}

async function presentProjectRules(services: Services, caller: Actor, rows: readonly RuleRow[]) {
  const rules = await withNames(services.db.read, rows);
  const ids = [...new Set(rules.flatMap(({ branches }) => branches.map(({ id }) => id)))];
  const [named, branches] = await Promise.all([
    shownOf(services, caller, rules),
    branchRulesById(services.db.read, ids),
  ]);
  const shown = await presentBranchRules(services.db.read, branches);
  return rules.map((rule) => ({
    ...fieldsOf(services, rule, named),
    protected_branches: shown.filter(({ id }) => rule.branches.some((branch) => branch.id === id)),
    applies_to_all_protected_branches: rule.rule.applies_to_all_protected_branches === 1,
  }));
}

export async function listProjectRules(services: Services, caller: Actor, { project }: ProjectSubject) {
  return presentProjectRules(services, caller, await store.projectRules(services.db.read, [project.id]));
}

/** The rules of a project, or those of them that are for requests into one branch. */
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
  const wanted = branch === undefined ? all : all.filter((rule) => isFor(rule, branch, around));
  const rules = await presentProjectRules(
    services,
    caller,
    wanted.map(({ rule }) => rule),
  );
  return { rules, fallback_approvals_required: fallbackRequired(subject) };
}

/** So many approvals are asked for where no rule asks for more. */
function fallbackRequired({ project }: ProjectSubject): number {
  const { approvalsRequired, fallbackApprovals } = mergeSettings(settingsOf(project));
  return Math.max(approvalsRequired, fallbackApprovals);
}

async function one<T>(presented: Promise<T[]>): Promise<T> {
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
  return one(presentProjectRules(services, caller, [await requireProjectRule(services, subject, id)]));
}

export function checkRule(change: RuleChange): void {
  const { approvals_required: required, name } = change;
  if (name !== undefined && name.trim() === '') throw new Invalid({ name: ["can't be blank"] });
  if (required !== undefined && (required < 0 || required > mostRequired)) {
    throw new Invalid({ approvals_required: [`must be in 0..${mostRequired}`] });
  }
  const { user_ids = [], usernames = [], group_ids = [] } = change;
  for (const [field, named] of [['users', [...user_ids, ...usernames]] as const, ['groups', group_ids] as const]) {
    if (named.length > mostNamed) throw new Invalid({ [field]: [`total must be less than or equal to ${mostNamed}`] });
  }
}

/** Whom a change names: of groups those that the caller may know of, and those of before that they may not. */
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

/** A rule is for branches that the project protects, or a group above it does. */
async function checkBranches({ db }: Services, projectId: number, ids: readonly number[]): Promise<readonly number[]> {
  if (ids.length === 0) return ids;
  const project = await findProject(db.read, projectId);
  const above = project ? await ancestorsOf(db.read, project.namespace_id) : [];
  const found = (await branchRulesById(db.read, ids)).filter(
    ({ project_id, namespace_id }) =>
      project_id === projectId || (namespace_id !== null && above.includes(namespace_id)),
  );
  if (found.length < new Set(ids).size) throw new Invalid({ protected_branches: ['must exist'] });
  return ids;
}

type RuleOwner = Pick<RuleRow, 'project_id' | 'merge_request_id' | 'source_rule_id'>;

async function addRule(
  services: Services,
  caller: Actor,
  place: RuleOwner,
  wanted: RuleChange,
  before: readonly number[] = [],
): Promise<RuleRow> {
  checkRule(wanted);
  const names = await namesIn(services, caller, wanted, before);
  const onBranches = await checkBranches(services, place.project_id, wanted.protected_branch_ids ?? []);
  const nobody = names.users.length === 0 && names.groups.length === 0;
  const now = Date.now();
  return services.db.write(async (trx) => {
    const rule = await store.insertRule(trx, {
      ...place,
      name: wanted.name ?? 'All members',
      rule_type: wanted.rule_type ?? (nobody ? 'any_approver' : 'regular'),
      approvals_required: wanted.approvals_required ?? 0,
      applies_to_all_protected_branches: wanted.applies_to_all_protected_branches ? 1 : 0,
      created_at: now,
      updated_at: now,
    });
    await store.nameIn(trx, rule.id, names.users, names.groups);
    await store.setBranches(trx, rule.id, onBranches);
    return rule;
  });
}

async function changeRule(services: Services, caller: Actor, rule: RuleRow, wanted: RuleChange): Promise<RuleRow> {
  checkRule(wanted);
  const names = await namesIn(services, caller, wanted, await store.groupsOf(services.db.read, rule.id));
  const { applies_to_all_protected_branches: everywhere, protected_branch_ids: ids, name, approvals_required } = wanted;
  const onBranches = ids && (await checkBranches(services, rule.project_id, ids));
  return services.db.write(async (trx) => {
    // Whoever is left out is named no longer.
    await store.nameIn(trx, rule.id, names.users, names.groups);
    if (onBranches) await store.setBranches(trx, rule.id, onBranches);
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
  return one(presentProjectRules(services, caller, [await addRule(services, caller, place, wanted)]));
}

export async function updateProjectRule(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  id: number,
  wanted: RuleChange,
) {
  const rule = await requireProjectRule(services, subject, id);
  return one(presentProjectRules(services, caller, [await changeRule(services, caller, rule, wanted)]));
}

export async function deleteProjectRule(services: Services, subject: ProjectSubject, id: number): Promise<void> {
  const rule = await requireProjectRule(services, subject, id);
  await services.db.write((trx) => store.deleteRule(trx, rule.id));
}

/** The rules of a merge request as its own answers show them. */
async function presentRequestRules(
  services: Services,
  caller: Actor,
  rules: readonly ApprovalRule[],
  sources: readonly RuleRow[],
) {
  const named = await shownOf(services, caller, rules);
  return rules.map((each) => {
    const source = sources.find(({ id }) => id === each.rule.source_rule_id);
    return {
      ...fieldsOf(services, each, named),
      section: each.rule.section,
      source_rule: source ? { approvals_required: source.approvals_required } : null,
      overridden: source !== undefined,
    };
  });
}

export async function listRequestRules(services: Services, caller: Actor, request: MergeRequestRow) {
  const { read } = services.db;
  const rules = (await rulesOf(services, read, [request])).get(request.id) ?? [];
  return presentRequestRules(services, caller, rules, await store.projectRules(read, [request.project_id]));
}

const areOverwritten = (rules: readonly ApprovalRule[]): boolean =>
  rules.some(({ rule }) => rule.merge_request_id !== null && rule.section === null);

/** The rules of a merge request, or those that it would have with another target. */
export async function rulesForRequest(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  request: MergeRequestRow,
  target_branch = request.target_branch,
) {
  const { read } = services.db;
  const rules = (await rulesOf(services, read, [{ ...request, target_branch }])).get(request.id) ?? [];
  return {
    approval_rules_overwritten: areOverwritten(rules),
    rules: await presentRequestRules(services, caller, rules, await store.projectRules(read, [request.project_id])),
    fallback_approvals_required: fallbackRequired(subject),
  };
}

const presentOwn = (services: Services, caller: Actor, request: MergeRequestRow, { id }: RuleRow) =>
  getRequestRule(services, caller, request, id);

export async function getRequestRule(services: Services, caller: Actor, request: MergeRequestRow, id: number) {
  return one(listRequestRules(services, caller, request).then((rules) => rules.filter((rule) => rule.id === id)));
}

async function checkOverride(services: Services, { project_id }: MergeRequestRow): Promise<void> {
  const settings = await approvalSettings(services, services.db.read, project_id);
  if (settings.disable_overriding_approvers_per_merge_request) throw new Forbidden();
}

export async function createRequestRule(
  services: Services,
  caller: Actor,
  request: MergeRequestRow,
  wanted: RuleChange & { readonly approval_project_rule_id?: number },
) {
  await checkOverride(services, request);
  const sourceId = wanted.approval_project_rule_id;
  const sources = await store.projectRules(services.db.read, [request.project_id]);
  if (sourceId !== undefined && !sources.some(({ id }) => id === sourceId)) {
    throw new BadRequest('approval_project_rule_id is not a rule of the project');
  }
  const place = {
    project_id: request.project_id,
    merge_request_id: request.id,
    source_rule_id: sourceId ?? null,
  };
  return presentOwn(services, caller, request, await addRule(services, caller, place, wanted));
}

/** A rule of the project that is changed for one merge request stays as it is for the others. */
export async function updateRequestRule(
  services: Services,
  caller: Actor,
  request: MergeRequestRow,
  id: number,
  wanted: RuleChange,
) {
  await checkOverride(services, request);
  const rules = (await rulesOf(services, services.db.read, [request])).get(request.id) ?? [];
  const found = rules.find(({ rule, ofGroup }) => !ofGroup && rule.id === id)?.rule;
  if (!found) throw NotFound.record();
  if (found.rule_type === 'code_owner') throw new Forbidden();
  if (found.merge_request_id !== null) {
    return presentOwn(services, caller, request, await changeRule(services, caller, found, wanted));
  }
  const place = { project_id: request.project_id, merge_request_id: request.id, source_rule_id: found.id };
  const { name, approvals_required, rule_type } = found;
  const change = { name, approvals_required, rule_type, ...wanted };
  const before = await store.groupsOf(services.db.read, found.id);
  return presentOwn(services, caller, request, await addRule(services, caller, place, change, before));
}

export async function deleteRequestRule(services: Services, request: MergeRequestRow, id: number): Promise<void> {
  await checkOverride(services, request);
  const own = await store.requestRules(services.db.read, [request.id]);
  const rule = own.find((row) => row.id === id);
  if (!rule) throw NotFound.record();
  if (rule.rule_type === 'code_owner') throw new Forbidden();
  await services.db.write((trx) => store.deleteRule(trx, rule.id));
}

export async function approvalState(services: Services, caller: Actor, request: MergeRequestRow) {
  const { read } = services.db;
  const [rules, given] = await Promise.all([rulesOf(services, read, [request]), approvals(read, [request.id])]);
  const all = rules.get(request.id) ?? [];
  const ids = (given.get(request.id) ?? []).map(({ user_id }) => user_id);
  const users = await peopleOf(services, all, ids);
  const entities = await presentRequestRules(
    services,
    caller,
    all,
    await store.projectRules(read, [request.project_id]),
  );
  return {
    approval_rules_overwritten: areOverwritten(all),
    rules: all.map((rule, index) => {
      const { counted, approved } = judge(rule, ids);
      const approved_by = counted.flatMap((id) => users.get(id) ?? []);
      const code_owner = rule.rule.rule_type === 'code_owner';
      return { ...(entities[index] as (typeof entities)[number]), code_owner, approved_by, approved };
    }),
  };
}

function presentSettings(subject: ProjectSubject, settings: ApprovalSettings) {
  const { approvalsRequired } = mergeSettings(settingsOf(subject.project));
  return { approvers: [], approver_groups: [], approvals_before_merge: approvalsRequired, ...settings };
}

export async function getSettings(services: Services, subject: ProjectSubject) {
  return presentSettings(subject, await approvalSettings(services, services.db.read, subject.project.id));
}

export async function updateSettings(services: Services, subject: ProjectSubject, change: SettingsChange) {
  const { approvals_before_merge: required } = change;
  if (required !== undefined && (required < 0 || required > mostRequired)) {
    throw new Invalid({ approvals_before_merge: [`must be in 0..${mostRequired}`] });
  }
  const [stored] = await store.storedSettings(services.db.read, [subject.project.id]);
  const given = Object.fromEntries(
    settingNames.flatMap((name) => (change[name] === undefined ? [] : [[name, change[name]]])),
  );
  const settings = { ...(stored && readSettings(stored.settings)), ...given };
  const project = await services.db.write(async (trx) => {
    await store.writeSettings(trx, subject.project.id, JSON.stringify(settings));
    if (required === undefined) return subject.project;
    return updateProject(
      trx,
      subject.project.id,
      changeSettings(subject.project, { approvals_before_merge: required }),
    );
  });
  const { approvalsRequired } = mergeSettings(settingsOf(project));
  const inForce = await approvalSettings(services, services.db.read, project.id);
  return { ...presentSettings(subject, inForce), approvals_before_merge: approvalsRequired };
}
