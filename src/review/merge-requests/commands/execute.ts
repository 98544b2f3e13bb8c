import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { awards } from '../../../planning/award-emoji/public.ts';
import { titlesById } from '../../../planning/labels/public.ts';
import type { Changes } from '../../../planning/quick-actions/public.ts';
import { setSubscription } from '../../../planning/subscriptions/public.ts';
import { estimateChange, spendCommandChange } from '../../../planning/time-tracking/public.ts';
import { addTodo, finishTodos } from '../../../planning/todos/public.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { approveIn, reviewIn, unapproveIn } from '../approvals/verdict.ts';
import { asDraft, withoutDraft } from '../changes/draft.ts';
import { rerequestReview } from '../changes/metadata.ts';
import { requestTarget } from '../changes/records.ts';
import { applyChange, checkOpen, refusedAsDuplicate } from '../changes/update.ts';
import { enqueueSubmit } from '../draft-notes/submit-queue.ts';
import { setAutoMergeIn } from '../merge/auto-merge.ts';
import { enqueueRebase } from '../merge/rebase.ts';
import { enqueuePipelineOf } from '../pipelines/jobs.ts';
import type { RequestChangeParams } from '../schema.ts';
import type { RequestState } from '../service.ts';
import type { MergeRequestRow } from '../tables.ts';
import { changeTimes } from '../time-tracking/service.ts';

/** Quick actions that merge requests support; other known commands have no effect on them. */
export const requestCommands: ReadonlySet<string> = new Set([
  'close',
  'reopen',
  'title',
  'lock',
  'unlock',
  'todo',
  'done',
  'subscribe',
  'unsubscribe',
  'react',
  'assign',
  'reassign',
  'unassign',
  'assign_reviewer',
  'reassign_reviewer',
  'unassign_reviewer',
  'request_review',
  'label',
  'unlabel',
  'relabel',
  'milestone',
  'remove_milestone',
  'estimate',
  'remove_estimate',
  'spend',
  'remove_time_spent',
  'draft',
  'ready',
  'target_branch',
  'copy_metadata',
  'merge',
  'rebase',
  'approve',
  'unapprove',
  'request_changes',
  'submit_review',
  'run_pipeline',
]);

/** The subset of quick actions that apply to a new merge request. */
export const newRequestCommands: ReadonlySet<string> = new Set([
  'title',
  'todo',
  'subscribe',
  'unsubscribe',
  'react',
  'assign',
  'reassign',
  'unassign',
  'assign_reviewer',
  'reassign_reviewer',
  'unassign_reviewer',
  'request_review',
  'label',
  'relabel',
  'milestone',
  'estimate',
  'spend',
  'draft',
  'ready',
  'target_branch',
  'copy_metadata',
]);

/** Converts the result of quick actions to the attributes of an API update. */
export async function changeOf(
  db: Reader,
  { title: now, reviewerIds }: { readonly title: string; readonly reviewerIds: readonly number[] },
  changes: Changes,
): Promise<Partial<RequestChangeParams>> {
  const { state_event, assignee_ids, milestone_id, discussion_locked, wip_event, target_branch } = changes;
  const asked = (changes.request_review_ids ?? []).filter((id) => !reviewerIds.includes(id));
  const reviewer_ids = asked.length > 0 ? [...(changes.reviewer_ids ?? reviewerIds), ...asked] : changes.reviewer_ids;
  const named = changes.title ?? now;
  const title = wip_event === undefined ? named : wip_event === 'draft' ? asDraft(named) : withoutDraft(named);
  return {
    ...(state_event && { state_event }),
    ...(title !== now && { title }),
    ...(target_branch !== undefined && { target_branch }),
    ...(assignee_ids && { assignee_ids }),
    ...(reviewer_ids && { reviewer_ids }),
    ...(milestone_id !== undefined && { milestone_id: milestone_id ?? 0 }),
    ...(discussion_locked !== undefined && { discussion_locked }),
    ...(changes.label_ids && { labels: await titlesById(db, changes.label_ids) }),
    ...(changes.add_label_ids && { add_labels: await titlesById(db, changes.add_label_ids) }),
    ...(changes.remove_label_ids && { remove_labels: await titlesById(db, changes.remove_label_ids) }),
  };
}

/** Executes the quick actions of a text on a merge request, in the transaction that stores the text. */
export async function executeCommands(
  services: Services,
  trx: Writer,
  writer: SignedInActor,
  subject: ProjectSubject,
  { request, reviewerIds }: RequestState,
  changes: Changes,
): Promise<void> {
  const change = await changeOf(trx, { title: request.title, reviewerIds }, changes);
  if (Object.keys(change).length > 0) {
    await checkOpen(services, request, change);
    await applyChange(services, trx, writer, subject, request.id, change).catch(
      refusedAsDuplicate(services, request, change),
    );
  }
  await executeSideEffects(services, trx, writer, request, reviewerIds, changes);
}

/** Executes the quick actions that do not change the merge request row itself. */
export async function executeSideEffects(
  services: Services,
  trx: Writer,
  writer: SignedInActor,
  request: MergeRequestRow,
  reviewerIds: readonly number[],
  changes: Changes,
): Promise<void> {
  const { user } = writer;
  const again = (changes.request_review_ids ?? []).filter((id) => reviewerIds.includes(id));
  await rerequestReview(services, trx, request, user.id, again);
  const target = requestTarget(request);
  const { time_estimate, spend_time, todo_event, subscription_event, emoji_award } = changes;
  if (time_estimate !== undefined) await changeTimes(services, trx, request.id, user.id, estimateChange(time_estimate));
  if (spend_time) await changeTimes(services, trx, request.id, user.id, spendCommandChange(spend_time));
  if (subscription_event) await setSubscription(trx, user.id, target, subscription_event === 'subscribe');
  if (emoji_award) {
    await awards.toggleAward(services, trx, user.id, { target, about: target, mayAward: true }, emoji_award);
  }
  await executeReview(services, trx, writer, request, changes);
  if (changes.rebase) await enqueueRebase(services, trx, writer, request.id);
  if (changes.run_pipeline) await enqueuePipelineOf(services, trx, request, user.id);
  if (changes.merge) await setAutoMergeIn(services, trx, writer, request);
  // Must be last: acting on a merge request completes the user's pending to-do item for it.
  if (todo_event === 'add') await addTodo(trx, { userId: user.id, authorId: user.id, target, action: 'marked' });
  if (todo_event === 'done') await finishTodos(trx, user.id, target);
}

/** Executes the quick actions of reviewers. */
async function executeReview(
  services: Services,
  trx: Writer,
  writer: SignedInActor,
  { id }: MergeRequestRow,
  { approve, unapprove, request_changes, submit_review }: Changes,
): Promise<void> {
  if (approve) await approveIn(services, trx, writer.user.id, await lockRow(trx, 'merge_requests', id));
  if (unapprove) await unapproveIn(services, trx, writer.user.id, await lockRow(trx, 'merge_requests', id));
  if (request_changes) await reviewIn(services, trx, writer, id, 'requested_changes');
  if (submit_review) await enqueueSubmit(services, trx, id, writer.user.id);
}
