import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import { type ProjectSubject, projectSubject } from '../../../access/subjects.ts';
import { findProject } from '../../../namespaces/projects/public.ts';
import { milestoneFor, requestedLabels } from '../../../planning/issues/public.ts';
import { labelsById, labelsToSet } from '../../../planning/labels/public.ts';
import { recordMilestone, recordState } from '../../../planning/resource-events/public.ts';
import { finishTodos } from '../../../planning/todos/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { uniqueViolation } from '../../../platform/database/errors.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { fault } from '../../../platform/faults.ts';
import { Forbidden, NotFound, Unprocessable } from '../../../platform/http/errors.ts';
import { mayUpdate } from '../access.ts';
import { removeApprovalsForTarget } from '../approvals/code-owners/follow.ts';
import { enqueueRefresh } from '../follow/refresh-queue.ts';
import { autoMergeAbortedNotes, autoMergeResetColumns } from '../merge/without-auto-merge.ts';
import type { RequestChangeParams } from '../schema.ts';
import { type RequestState, stateOf } from '../service.ts';
import * as store from '../store.ts';
import type { MergeRequestRow } from '../tables.ts';
import { refreshRequest } from '../versions/refresh.ts';
import { mayCollaborate, refuseDuplicate } from './branches.ts';
import { filterAssignableUsers, setAssignees, setLabels, setReviewers } from './metadata.ts';
import { changeNotes, recordActivity, recordNotes, requestTarget } from './records.ts';
import { columnChanges, requestedAssignees, requestedReviewers } from './rules.ts';

type Columns = Partial<Omit<MergeRequestRow, 'id'>>;

/** Rejects an open merge request with identical source and target, or a duplicate of another open one. */
export async function checkOpen(
  services: Services,
  request: MergeRequestRow,
  { state_event, target_branch = request.target_branch }: RequestChangeParams,
): Promise<void> {
  const opens = state_event === 'reopen' || request.state === 'opened';
  if (!opens || state_event === 'close') return;
  if (request.source_project_id === request.project_id && request.source_branch === target_branch) {
    throw new Unprocessable(["You can't use same project/branch for source and target"]);
  }
  await refuseDuplicate(services, { ...request, target_branch }, request.id);
}

/** Converts a unique violation to the error for a duplicate that was created concurrently, after the check. */
export function refusedAsDuplicate(
  services: Services,
  request: MergeRequestRow,
  { target_branch = request.target_branch }: RequestChangeParams,
): (error: unknown) => Promise<never> {
  return async (error) => {
    if (uniqueViolation(error)) await refuseDuplicate(services, { ...request, target_branch }, request.id);
    throw error;
  };
}

/** Updates a merge request, including the consequences of a new target branch or of being reopened. */
export async function changeRequest(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  request: MergeRequestRow,
  params: RequestChangeParams,
  also?: (trx: Writer) => Promise<void>,
): Promise<RequestState> {
  await checkOpen(services, request, params);
  const shared = await collaboration(services, caller, subject, request, params);
  const after = await services.db
    .write(async (trx) => {
      const changed = await applyChange(services, trx, caller, subject, request.id, params, shared);
      if (!also) return changed;
      await also(trx);
      const row = await store.requestById(trx, request.id);
      return row ? stateOf(trx, row) : changed;
    })
    .catch(refusedAsDuplicate(services, request, params));
  fault('merge-request.changed');
  if (after.request.version_due === 0 || after.request.state !== 'opened') return after;
  await refreshRequest(services, after.request.id);
  const renewed = await store.requestById(services.db.read, after.request.id);
  return { ...after, request: renewed ?? after.request };
}

async function collaboration(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  request: MergeRequestRow,
  params: RequestChangeParams,
): Promise<0 | 1 | undefined> {
  const wanted = params.allow_collaboration ?? params.allow_maintainer_to_push;
  if (wanted === undefined || request.source_project_id === null) return undefined;
  const project = await findProject(services.db.read, request.source_project_id);
  if (!project) return undefined;
  const source = await projectSubject(services.db.read, caller, project);
  // Collaboration can still be disabled after the branch has been protected or the project made private.
  if (!wanted) return source.can('push_code') ? 0 : undefined;
  return (await mayCollaborate(services, caller, source, subject, request.source_branch)) ? 1 : undefined;
}

/** Applies the part of an update that happens in the transaction. */
export async function applyChange(
  services: Services,
  trx: Writer,
  caller: SignedInActor,
  subject: ProjectSubject,
  id: number,
  params: RequestChangeParams,
  shared?: 0 | 1,
): Promise<RequestState> {
  const locked = await lockRow(trx, 'merge_requests', id);
  if (!locked) throw NotFound.record();
  const before = await stateOf(trx, locked);
  if (!mayUpdate(caller, subject, locked, before.assigneeIds)) throw new Forbidden();
  const { user } = caller;
  const mayAdmin = subject.can('admin_merge_request');
  const change: Columns = columnChanges(locked, params, mayAdmin);
  if (shared !== undefined && shared !== locked.allow_collaboration) change.allow_collaboration = shared;
  const edited = change.title !== undefined || change.description !== undefined;
  const metadata = mayAdmin
    ? await setMetadata(trx, subject, before, user.id, params, change)
    : { notes: [], touched: false };
  const event = stateChange(locked, params.state_event);
  if (event === 'close') Object.assign(change, closing(user.id));
  const aborted = abortedBy(change, event);
  if (aborted !== undefined) Object.assign(change, autoMergeResetColumns(locked));
  if (event === 'reopen') Object.assign(change, reopening);
  const { target_branch: target = locked.target_branch } = change;
  if (event === 'reopen' || target !== locked.target_branch) change.version_due = 1;
  if (Object.keys(change).length === 0 && !metadata.touched) return before;
  const now = Date.now();
  const request = await store.updateRequest(trx, locked.id, {
    ...change,
    ...(edited ? { last_edited_at: now, last_edited_by_id: user.id } : {}),
    updated_by_id: user.id,
    updated_at: now,
  });
  if (target !== locked.target_branch) await removeApprovalsForTarget(services, trx, request);
  const ended = aborted === undefined ? [] : autoMergeAbortedNotes(locked, aborted);
  await recordNotes(trx, request, user.id, [...changeNotes(locked, request), ...metadata.notes, ...ended]);
  if (event) {
    const state = event === 'close' ? 'closed' : 'reopened';
    await recordState(trx, { target: requestTarget(request), userId: user.id }, state);
    await recordActivity(trx, request, user.id, state);
  }
  await finishTodos(trx, user.id, requestTarget(request));
  // The caller processes the change right after the transaction; this job does it if the server stops in between.
  if (change.version_due === 1) await enqueueRefresh(services, trx, request.id);
  const after = await stateOf(trx, request);
  await services.announce(trx, 'merge-request.changed', { action: event ?? 'update', actorId: user.id, before, after });
  return after;
}

/** Sets labels, assignees, reviewers and milestone, for callers who may do so. */
async function setMetadata(
  trx: Writer,
  subject: ProjectSubject,
  before: RequestState,
  userId: number,
  params: RequestChangeParams,
  change: Columns,
): Promise<{ notes: string[]; touched: boolean }> {
  const { request } = before;
  const notes: string[] = [];
  let touched = false;
  const present = (await labelsById(trx, before.labelIds)).map(({ title }) => title);
  const titles = requestedLabels(present, params);
  if (titles) {
    const ids = (await labelsToSet(trx, subject, titles, before.labelIds)).map(({ id }) => id);
    change.label_priority = await setLabels(trx, before, userId, ids);
    touched = true;
  }
  for (const [wantedIds, set] of [
    [requestedAssignees(params), setAssignees],
    [requestedReviewers(params), setReviewers],
  ] as const) {
    if (!wantedIds) continue;
    const wanted = await filterAssignableUsers(trx, subject, wantedIds);
    // A list without any user who can read the merge request changes nothing.
    if (wantedIds.length > 0 && wanted.length === 0) continue;
    const changed = await set(trx, before, userId, wanted);
    if (changed) {
      touched = true;
      notes.push(changed.note);
    }
  }
  if (params.milestone_id !== undefined) {
    const milestone = await milestoneFor(trx, subject, params.milestone_id);
    if (milestone !== undefined && (milestone?.id ?? null) !== request.milestone_id) {
      change.milestone_id = milestone?.id ?? null;
      change.milestone_due_date = milestone?.due_date ?? null;
      const moved = { before: request.milestone_id, after: change.milestone_id, state: request.state };
      await recordMilestone(trx, { target: requestTarget(request), userId }, moved);
    }
  }
  return { notes, touched };
}

const closing = (userId: number): Columns => ({
  state: 'closed',
  closed_at: Date.now(),
  closed_by_id: userId,
  merge_error: null,
});
const reopening: Columns = {
  state: 'opened',
  closed_at: null,
  closed_by_id: null,
  merge_status: 'unchecked',
  refs_cleaned: 0,
};

/** The reason for which a change cancels auto-merge, if it does. */
function abortedBy({ target_branch }: Columns, event: 'close' | 'reopen' | undefined): string | undefined {
  if (event === 'close') return 'merge request was closed';
  return target_branch === undefined ? undefined : 'target branch was changed';
}

/** Impossible transitions are ignored, and a merge request with a locked discussion cannot be reopened. */
function stateChange(request: MergeRequestRow, wanted: 'close' | 'reopen' | undefined): 'close' | 'reopen' | undefined {
  if (wanted === 'close') return request.state === 'opened' ? 'close' : undefined;
  if (wanted === 'reopen') return request.state === 'closed' && request.discussion_locked !== 1 ? 'reopen' : undefined;
  return undefined;
}
