import type { Actor, SignedInActor } from '../../../access/actor.ts';
import { checkPassword } from '../../../access/credentials/passwords.ts';
import type { Services } from '../../../access/services.ts';
import { type ProjectSubject, settingsOf } from '../../../access/subjects.ts';
import { basicUsers } from '../../../people/users/public.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { Forbidden, NotFound, Unauthorized } from '../../../platform/http/errors.ts';
import { instant } from '../../../platform/http/schema.ts';
import { changeRequest } from '../changes/update.ts';
import { checkSha } from '../check-sha.ts';
import { publishDrafts } from '../draft-notes/publish.ts';
import { shownMergeStatus } from '../mergeability/status.ts';
import { type RequestState, requireRequest } from '../service.ts';
import { mergeSettings } from '../settings.ts';
import { approvals, updateRequest } from '../store.ts';
import type { MergeRequestRow } from '../tables.ts';
import { approvalsAtLeast, evaluateRule, rulesOf } from './evaluate.ts';
import type { ApprovalsEntity } from './schema.ts';
import { approvalSettings } from './settings.ts';
import * as store from './store.ts';
import { approveIn, mayApprove, unapproveIn } from './verdict.ts';

/**
 * If the project requires it, approving needs the user's password, whatever token the request is authenticated with.
 */
async function checkSignature(
  services: Services,
  { user }: SignedInActor,
  { project_id }: MergeRequestRow,
  password: string | undefined,
): Promise<void> {
  const settings = await approvalSettings(services, services.db.read, project_id);
  if (!settings.require_password_to_approve && !settings.require_reauthentication_to_approve) return;
  const proven = password === undefined ? undefined : await checkPassword(services, user.username, password);
  if (proven?.id !== user.id) throw new Unauthorized();
}

/** Presents given and missing approvals of a merge request. */
export async function presentApprovals(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  state: RequestState,
): Promise<ApprovalsEntity> {
  const { read } = services.db;
  const { request } = state;
  const [rows, rules, settings, may] = await Promise.all([
    approvals(read, [request.id]),
    rulesOf(services, read, [request]),
    approvalSettings(services, read, request.project_id),
    mayApprove(services, caller, subject, state),
  ]);
  const given = rows.get(request.id) ?? [];
  const ids = given.map(({ user_id }) => user_id);
  const users = await basicUsers(read, ids, services.externalUrl);
  const judged = (rules.get(request.id) ?? []).map((rule) => ({ ...rule, ...evaluateRule(rule, ids) }));
  const atLeast = approvalsAtLeast(request, mergeSettings(settingsOf(subject.project)), judged);
  const required = Math.max(atLeast, ...judged.map(({ rule }) => rule.approvals_required));
  const left = Math.max(atLeast - ids.length, 0, ...judged.map((rule) => rule.left));
  const has = caller.user !== null && ids.includes(caller.user.id);
  return {
    id: request.id,
    iid: request.iid,
    project_id: request.project_id,
    title: request.title,
    description: request.description,
    state: request.state,
    created_at: instant(request.created_at),
    updated_at: instant(request.updated_at),
    merge_status: shownMergeStatus(request.merge_status),
    // If no approval is required, any approval counts.
    approved: required > 0 ? left === 0 : ids.length > 0,
    approvals_required: required,
    approvals_left: left,
    require_password_to_approve: settings.require_password_to_approve,
    approved_by: given.flatMap(({ user_id, created_at }) => {
      const user = users.get(user_id);
      return user ? [{ user, approved_at: instant(created_at) }] : [];
    }),
    suggested_approvers: [],
    approvers: [],
    approver_groups: [],
    user_has_approved: has,
    user_can_approve: may && !has && request.state === 'opened',
    approval_rules_left: judged
      .filter(({ approved }) => !approved)
      .map(({ rule: { id, name, rule_type } }) => ({ id, name, rule_type })),
    has_approval_rules: judged.length > 0,
    merge_request_approvers_available: true,
    multiple_approval_rules_available: true,
    invalid_approvers_rules: [],
  };
}

export async function getApprovals(services: Services, caller: Actor, subject: ProjectSubject, iid: number) {
  return presentApprovals(services, caller, subject, await requireRequest(services, subject, iid));
}

/** Sets the number of required approvals of a merge request, if the project allows overriding it. */
export async function requireApprovals(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  params: { readonly merge_request_iid: number; readonly approvals_required: number },
): Promise<ApprovalsEntity> {
  const { request } = await requireRequest(services, subject, params.merge_request_iid);
  const settings = await approvalSettings(services, services.db.read, request.project_id);
  if (settings.disable_overriding_approvers_per_merge_request) throw new Forbidden();
  const change = { approvals_before_merge: params.approvals_required };
  return presentApprovals(services, caller, subject, await changeRequest(services, caller, subject, request, change));
}

export async function approve(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  {
    merge_request_iid: iid,
    sha,
    approval_password: password,
    publish_review: withReview = false,
  }: {
    readonly merge_request_iid: number;
    readonly sha?: string;
    readonly approval_password?: string;
    readonly publish_review?: boolean;
  },
): Promise<ApprovalsEntity> {
  const state = await requireRequest(services, subject, iid);
  if (!(await mayApprove(services, caller, subject, state))) throw new Forbidden();
  const { id } = state.request;
  // The approval is for the commit that the approver saw, even if a push arrived during password confirmation.
  checkSha(sha, state.request);
  await checkSignature(services, caller, state.request, password);
  if (withReview) await publishDrafts(services, caller, subject, iid);
  await services.db.write(async (trx) => {
    const locked = await lockRow(trx, 'merge_requests', id);
    if (locked) checkSha(sha, locked);
    await approveIn(services, trx, caller.user.id, locked);
  });
  return presentApprovals(services, caller, subject, await requireRequest(services, subject, iid));
}

export async function unapprove(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
): Promise<ApprovalsEntity> {
  const state = await requireRequest(services, subject, iid);
  if (!(await mayApprove(services, caller, subject, state))) throw new Forbidden();
  await services.db.write(async (trx) => {
    await unapproveIn(services, trx, caller.user.id, await lockRow(trx, 'merge_requests', state.request.id));
  });
  return presentApprovals(services, caller, subject, await requireRequest(services, subject, iid));
}

/** Removes all approvals; only for project and group bots. */
export async function resetApprovals(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
): Promise<number> {
  if (!subject.can('read_merge_request')) throw NotFound.record();
  const state = await requireRequest(services, subject, iid);
  const bot = caller.user.kind === 'project_bot';
  if (!bot || !(await mayApprove(services, caller, subject, state))) throw new Unauthorized();
  await services.db.write(async (trx) => {
    const locked = await lockRow(trx, 'merge_requests', state.request.id);
    if (!locked || locked.state === 'merged') throw new Unauthorized();
    await store.deleteApprovals(trx, locked.id);
    await updateRequest(trx, locked.id, { updated_at: Date.now() });
  });
  return 202;
}
