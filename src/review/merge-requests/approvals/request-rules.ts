import type { Actor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { BadRequest, Forbidden, NotFound } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { enqueueAutoMerge } from '../merge/auto-merge-queue.ts';
import { approvals } from '../store.ts';
import type { MergeRequestRow } from '../tables.ts';
import { isCoverageRule } from './coverage.ts';
import { evaluateRule, rulesOf } from './evaluate.ts';
import { addRule, changeRule, fallbackRequired, fieldsOf, peopleOf, requireFirst, visibleApprovers } from './rules.ts';
import type { RuleChange } from './schema.ts';
import { approvalSettings } from './settings.ts';
import * as store from './store.ts';
import type { ApprovalRule, RuleRow } from './tables.ts';

/** Presents the rules of a merge request. */
async function presentRequestRules(
  services: Services,
  caller: Actor,
  rules: readonly ApprovalRule[],
  sources: readonly RuleRow[],
) {
  const named = await visibleApprovers(services, caller, rules);
  return rules.map((each) => {
    const source = sources.find(({ id }) => id === each.rule.source_rule_id);
    return {
      ...fieldsOf(each, named),
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

export async function pageOfRules(
  services: Services,
  caller: Actor,
  request: MergeRequestRow,
  { offset, perPage }: PageRequest,
) {
  const { read } = services.db;
  const rules = (await rulesOf(services, read, [request])).get(request.id) ?? [];
  const sources = await store.projectRules(read, [request.project_id]);
  const shown = rules.slice(offset, offset + perPage);
  return new Page(await presentRequestRules(services, caller, shown, sources), rules.length);
}

/** Whether a merge request has rules of its own or has removed some of its project. */
async function areOverwritten(db: Reader, { id }: MergeRequestRow, rules: readonly ApprovalRule[]): Promise<boolean> {
  if (rules.some(({ rule }) => rule.merge_request_id !== null && rule.section === null)) return true;
  return (await store.removedRules(db, [id])).length > 0;
}

/** The rules of a merge request, or those that would apply with another target branch. */
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
    approval_rules_overwritten: await areOverwritten(read, request, rules),
    rules: await presentRequestRules(services, caller, rules, await store.projectRules(read, [request.project_id])),
    fallback_approvals_required: fallbackRequired(subject),
  };
}

const presentOwn = (services: Services, caller: Actor, request: MergeRequestRow, { id }: RuleRow) =>
  getRequestRule(services, caller, request, id);

export async function getRequestRule(services: Services, caller: Actor, request: MergeRequestRow, id: number) {
  return requireFirst(
    listRequestRules(services, caller, request).then((rules) => rules.filter((rule) => rule.id === id)),
  );
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
  if (sourceId !== undefined && !sources.some((rule) => rule.id === sourceId && !isCoverageRule(rule))) {
    throw new BadRequest('approval_project_rule_id is not a rule of the project');
  }
  const place = {
    project_id: request.project_id,
    merge_request_id: request.id,
    source_rule_id: sourceId ?? null,
  };
  return presentOwn(services, caller, request, await addRule(services, caller, place, wanted));
}

/** Returns an applicable rule that can be changed; rules of ancestor groups cannot. */
async function changeableRule(services: Services, request: MergeRequestRow, id: number) {
  const rules = (await rulesOf(services, services.db.read, [request])).get(request.id) ?? [];
  const found = rules.find(({ rule, ofGroup }) => !ofGroup && rule.id === id)?.rule;
  if (!found) throw NotFound.record();
  const { rule_type } = found;
  if (rule_type === 'code_owner' || rule_type === 'report_approver') throw new Forbidden();
  return { ...found, rule_type };
}

/** Updates a rule of a merge request. A project rule is copied first, so that other merge requests are not affected. */
export async function updateRequestRule(
  services: Services,
  caller: Actor,
  request: MergeRequestRow,
  id: number,
  wanted: RuleChange,
) {
  await checkOverride(services, request);
  const found = await changeableRule(services, request, id);
  if (found.merge_request_id !== null) {
    return presentOwn(services, caller, request, await changeRule(services, caller, found, wanted));
  }
  const place = { project_id: request.project_id, merge_request_id: request.id, source_rule_id: found.id };
  const { name, approvals_required, rule_type } = found;
  const change = { name, approvals_required, rule_type, ...wanted };
  const before = wanted.remove_hidden_groups ? [] : await store.groupsOf(services.db.read, found.id);
  return presentOwn(services, caller, request, await addRule(services, caller, place, change, before));
}

/** Deletes a rule from a merge request. A project rule is only marked as removed for this merge request. */
export async function deleteRequestRule(services: Services, request: MergeRequestRow, id: number): Promise<void> {
  await checkOverride(services, request);
  const rule = await changeableRule(services, request, id);
  await services.db.write(async (trx) => {
    if (rule.merge_request_id === null) await store.removeFromRequest(trx, request.id, rule.id);
    else await store.deleteRule(trx, rule.id);
    await enqueueAutoMerge(services, trx, request);
  });
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
    approval_rules_overwritten: await areOverwritten(read, request, all),
    rules: all.map((rule, index) => {
      const { counted, approved } = evaluateRule(rule, ids);
      const approved_by = counted.flatMap((id) => users.get(id) ?? []);
      const code_owner = rule.rule.rule_type === 'code_owner';
      return { ...(entities[index] as (typeof entities)[number]), code_owner, approved_by, approved };
    }),
  };
}
