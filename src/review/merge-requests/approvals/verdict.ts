import type { Actor, SignedInActor } from '../../../access/actor.ts';
import { Role } from '../../../access/roles.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import type { User } from '../../../access/tables.ts';
import { finishTodos } from '../../../planning/todos/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { NotFound, Unauthorized } from '../../../platform/http/errors.ts';
import { mayUpdate } from '../access.ts';
import { recordActivity, recordNotes, requestTarget } from '../changes/records.ts';
import { commitsOf } from '../closing/service.ts';
import { enqueueAutoMerge } from '../merge/auto-merge-queue.ts';
import { type ApprovalAction, type RequestState, stateOf } from '../service.ts';
import { addReviewers, setReviewState, updateRequest } from '../store.ts';
import * as texts from '../system-texts.ts';
import type { MergeRequestRow } from '../tables.ts';
import { isAuthorOrCommitter } from './committers.ts';
import { isComplete } from './complete.ts';
import { eligibleApprovers } from './evaluate.ts';
import { approvalSettings } from './settings.ts';
import * as store from './store.ts';

/**
 * Whether the caller may approve: members who may update the merge request, and eligible approvers; its author and
 * committers only if the project allows it.
 */
export async function mayApprove(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  { request, assigneeIds }: RequestState,
): Promise<boolean> {
  const member = subject.standing.admin || subject.levels.highest >= Role.guest;
  if (caller.user === null || !member) return false;
  const may =
    mayUpdate(caller, subject, request, assigneeIds) || (await isNamed(services, caller.user, subject, request));
  if (!may) return false;
  const settings = await approvalSettings(services, services.db.read, request.project_id);
  if (request.author_id === caller.user.id && !settings.merge_requests_author_approval) return false;
  if (!settings.merge_requests_disable_committers_approval) return true;
  return !(await isAuthorOrCommitter(services, services.db.read, caller.user.id, await commitsOf(services, request)));
}

/** Whether the user is an eligible approver, who then only needs read access. */
async function isNamed(
  services: Services,
  user: User,
  subject: ProjectSubject,
  request: MergeRequestRow,
): Promise<boolean> {
  if (!subject.can('read_merge_request') || subject.archived) return false;
  return (await eligibleApprovers(services, request)).includes(user.id);
}

/** Records an approval or its removal on the merge request. */
async function record(
  services: Services,
  trx: Writer,
  request: MergeRequestRow,
  userId: number,
  action: ApprovalAction,
): Promise<void> {
  const approved = action === 'approved' || action === 'approval';
  const before = await stateOf(trx, request);
  const touched = await updateRequest(trx, request.id, { updated_at: Date.now() });
  await recordNotes(trx, touched, userId, [approved ? texts.approved : texts.unapproved]);
  await setReviewState(trx, request.id, userId, approved ? 'approved' : 'unapproved');
  if (approved) await recordActivity(trx, touched, userId, 'approved');
  await enqueueAutoMerge(services, trx, touched);
  const after = await stateOf(trx, touched);
  await services.announce(trx, 'merge-request.changed', { action, actorId: userId, before, after });
}

/** Approves a merge request within a transaction that has locked it. */
export async function approveIn(
  services: Services,
  trx: Writer,
  userId: number,
  locked: MergeRequestRow | undefined,
): Promise<void> {
  if (!locked || locked.state === 'merged') throw new Unauthorized();
  if (!(await store.insertApproval(trx, locked.id, userId))) throw new Unauthorized();
  await finishTodos(trx, userId, requestTarget(locked));
  await record(services, trx, locked, userId, (await isComplete(services, trx, locked)) ? 'approved' : 'approval');
}

/** Removes an approval within a transaction that has locked the merge request. */
export async function unapproveIn(
  services: Services,
  trx: Writer,
  userId: number,
  locked: MergeRequestRow | undefined,
): Promise<void> {
  if (!locked || locked.state === 'merged') throw new NotFound();
  const wasComplete = await isComplete(services, trx, locked);
  if (!(await store.deleteApproval(trx, locked.id, userId))) throw new NotFound();
  await record(services, trx, locked, userId, wasComplete ? 'unapproved' : 'unapproval');
}

/**
 * Whether the caller may submit a review: requested reviewers, and users who may update the merge request, who become
 * reviewers; its author only if requested.
 */
export function mayReview(
  caller: Actor,
  subject: ProjectSubject,
  { request, assigneeIds, reviewerIds }: RequestState,
): boolean {
  if (caller.user === null || request.state !== 'opened') return false;
  if (reviewerIds.includes(caller.user.id)) return subject.can('read_merge_request');
  return request.author_id !== caller.user.id && mayUpdate(caller, subject, request, assigneeIds);
}

/** Stores the state of the review. Requested changes block the merge and remove the reviewer's approval. */
export async function reviewIn(
  services: Services,
  trx: Writer,
  { user }: SignedInActor,
  id: number,
  verdict: 'reviewed' | 'requested_changes',
): Promise<void> {
  const locked = await lockRow(trx, 'merge_requests', id);
  if (locked?.state !== 'opened') throw NotFound.record();
  const before = await stateOf(trx, locked);
  await addReviewers(trx, id, [user.id]);
  await setReviewState(trx, id, user.id, verdict);
  const asks = verdict === 'requested_changes';
  if (asks) {
    await store.deleteApproval(trx, id, user.id);
    await recordNotes(trx, locked, user.id, [texts.requestedChanges]);
  }
  await finishTodos(trx, user.id, requestTarget(locked));
  if (!asks && before.reviewerIds.includes(user.id)) return;
  const after = await stateOf(trx, await updateRequest(trx, id, { updated_at: Date.now() }));
  await services.announce(trx, 'merge-request.changed', { action: 'update', actorId: user.id, before, after });
}
