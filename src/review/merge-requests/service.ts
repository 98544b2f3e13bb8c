import type { Actor, SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { User } from '../../access/tables.ts';
import { hasCommented } from '../../planning/notes/public.ts';
import { deleteTargetDependents } from '../../planning/removal.ts';
import { subscriptionOf } from '../../planning/subscriptions/public.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { lockRow } from '../../platform/database/locks.ts';
import { Forbidden, NotFound } from '../../platform/http/errors.ts';
import { checkUnmodified } from '../../platform/http/responses/precondition.ts';
import { isAuthorOrAssignee } from './access.ts';
import { requestTarget } from './changes/records.ts';
import { deleteDraftsBy } from './draft-notes/store.ts';
import { enqueueRemoveRefs } from './follow/clean-refs.ts';
import { handOverParts } from './imported/store.ts';
import * as store from './store.ts';
import type { MergeRequestRow, ReviewState } from './tables.ts';

/** A merge request as of one transaction, with its assignees, reviewers and labels. */
export interface RequestState {
  readonly request: MergeRequestRow;
  readonly assigneeIds: readonly number[];
  readonly reviewerIds: readonly number[];
  /** State of each reviewer's review. */
  readonly reviewStates: ReadonlyMap<number, ReviewState>;
  readonly labelIds: readonly number[];
}

/** An approval that completes the required ones or not; the removal of one that made them incomplete or not. */
export type ApprovalAction = 'approved' | 'approval' | 'unapproved' | 'unapproval';

/** A push that removed approvals: all of them, or those of code owners of the changed files. */
export type SystemAction = 'approvals_reset_on_push' | 'code_owner_approvals_reset_on_push';

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    /** A merge request was created, updated, closed, reopened, merged or approved; `before` is absent for a new one. */
    'merge-request.changed': {
      readonly action: 'open' | 'update' | 'close' | 'reopen' | 'merge' | ApprovalAction;
      readonly actorId: number;
      readonly before?: RequestState;
      readonly after: RequestState;
      /** The previous head, if the event is a push. */
      readonly oldHead?: string;
      /** Why approvals were removed, if nobody withdrew them; the actor is then the user who pushed. */
      readonly systemAction?: SystemAction;
    };
    /** Auto-merge was enabled. */
    'merge-request.auto-merge-set': { readonly state: RequestState; readonly actorId: number };
    /** A merge request came into conflict with its target branch; its owners have to act. */
    'merge-request.conflicted': { readonly request: MergeRequestRow; readonly ownerIds: readonly number[] };
    'merge-request.removed': { readonly request: MergeRequestRow; readonly actorId: number };
  }
}

export async function stateOf(db: Reader, request: MergeRequestRow): Promise<RequestState> {
  return { request, ...(await store.relatedIdsOf(db, request.id)) };
}

/** Reviewers who had completed their review and are asked to review again. */
export function rerequestedReviewers(before: RequestState | undefined, { reviewStates }: RequestState): number[] {
  const isAsked = (id: number) => before?.reviewStates.has(id) && before.reviewStates.get(id) !== 'unreviewed';
  return [...reviewStates].flatMap(([id, state]) => (state === 'unreviewed' && isAsked(id) ? [id] : []));
}

/** Returns a merge request; the caller has been found to be allowed to read merge requests of the project. */
export async function requireRequest(
  { db }: Services,
  subject: ProjectSubject,
  iid: number,
  missing: () => Error = NotFound.record,
): Promise<RequestState> {
  const request = await store.findRequest(db.read, subject.project.id, iid);
  if (!request) throw missing();
  return stateOf(db.read, request);
}

/** Whether the caller receives notifications of a merge request: by explicit subscription, or else by participating. */
export async function isSubscribed(db: Reader, caller: Actor, state: RequestState): Promise<boolean> {
  if (caller.user === null) return false;
  const { request, assigneeIds, reviewerIds } = state;
  const target = requestTarget(request);
  const explicit = await subscriptionOf(db, caller.user.id, target);
  const concerned = isAuthorOrAssignee(caller, request, assigneeIds) || reviewerIds.includes(caller.user.id);
  if (explicit !== undefined || concerned) return explicit ?? true;
  return request.user_notes_count > 0 && hasCommented(db, target, caller.user.id);
}

/**
 * Returns false if the merge request has been deleted concurrently. The lock waits for writers that are adding to the
 * merge request, so that their rows are deleted too.
 */
async function removeRequest(
  services: Services,
  trx: Writer,
  request: MergeRequestRow,
  actorId: number,
): Promise<boolean> {
  if (!(await lockRow(trx, 'merge_requests', request.id, 'remove'))) return false;
  await services.announce(trx, 'merge-request.removed', { request, actorId });
  await deleteTargetDependents(trx, 'MergeRequest', [request.id]);
  await store.deleteRequest(trx, request.id);
  await enqueueRemoveRefs(services, trx, request);
  return true;
}

export async function deleteMergeRequest(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
  http: Parameters<typeof checkUnmodified>[0],
): Promise<void> {
  const { request } = await requireRequest(services, subject, iid);
  if (!subject.can('destroy_merge_request')) throw new Forbidden();
  checkUnmodified(http, request.updated_at);
  const isRemoved = await services.db.write((trx) => removeRequest(services, trx, request, caller.user.id));
  if (!isRemoved) throw NotFound.record();
}

const removedAtOnce = 500;

/** Transfers the merge requests of a deleted user to the heir, or deletes them if there is none. */
export async function transferRequests(
  services: Services,
  trx: Writer,
  { user, heir }: { readonly user: User; readonly heir: User | null },
): Promise<void> {
  await deleteDraftsBy(trx, user.id);
  await store.handOverRequests(trx, user.id, heir?.id ?? null);
  if (heir?.kind === 'human') await handOverParts(trx, user.id, heir.id);
  if (heir) return;
  for (;;) {
    const written = await store.requestsWrittenBy(trx, user.id, removedAtOnce);
    if (written.length === 0) return;
    for (const request of written) await removeRequest(services, trx, request, user.id);
  }
}
