import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { awards } from '../../../planning/award-emoji/public.ts';
import { labelsById } from '../../../planning/labels/public.ts';
import type { Changes } from '../../../planning/quick-actions/public.ts';
import { setSubscription } from '../../../planning/subscriptions/public.ts';
import { estimating, spendingAsSaid } from '../../../planning/time-tracking/public.ts';
import { addTodo, finishTodos } from '../../../planning/todos/public.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { asDraft, withoutDraft } from '../changes/draft.ts';
import { askAgain } from '../changes/metadata.ts';
import { targetOf } from '../changes/records.ts';
import { applyChange } from '../changes/update.ts';
import { setAutoMergeIn } from '../merge/auto-merge.ts';
import { enqueueRebase } from '../merge/rebase.ts';
import type { RequestChangeParams } from '../schema.ts';
import type { RequestState } from '../service.ts';
import { changeTimes } from '../time-tracking/service.ts';

/** What merge requests carry out of the commands; the others are known and change nothing. */
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
  'merge',
  'rebase',
]);

/** The update that commands amount to, in the words of one that came through the API. */
async function changeOf(
  db: Reader,
  { request: { title: now }, reviewerIds }: RequestState,
  changes: Changes,
): Promise<Partial<RequestChangeParams>> {
  const titles = async (ids: readonly number[]) => (await labelsById(db, ids)).map(({ title }) => title);
  const { state_event, assignee_ids, milestone_id, discussion_locked, wip_event } = changes;
  const asked = (changes.request_review_ids ?? []).filter((id) => !reviewerIds.includes(id));
  const reviewer_ids = asked.length > 0 ? [...(changes.reviewer_ids ?? reviewerIds), ...asked] : changes.reviewer_ids;
  const named = changes.title ?? now;
  const title = wip_event === undefined ? named : wip_event === 'draft' ? asDraft(named) : withoutDraft(named);
  return {
    ...(state_event && { state_event }),
    ...(title !== now && { title }),
    ...(assignee_ids && { assignee_ids }),
    ...(reviewer_ids && { reviewer_ids }),
    ...(milestone_id !== undefined && { milestone_id: milestone_id ?? 0 }),
    ...(discussion_locked !== undefined && { discussion_locked }),
    ...(changes.label_ids && { labels: await titles(changes.label_ids) }),
    ...(changes.add_label_ids && { add_labels: await titles(changes.add_label_ids) }),
    ...(changes.remove_label_ids && { remove_labels: await titles(changes.remove_label_ids) }),
  };
}

/** Carries out what the commands of a text change of a merge request, in the transaction in which the text is written. */
export async function carryOut(
  services: Services,
  trx: Writer,
  writer: SignedInActor,
  subject: ProjectSubject,
  state: RequestState,
  changes: Changes,
): Promise<void> {
  const { user } = writer;
  const { request, reviewerIds } = state;
  const change = await changeOf(trx, state, changes);
  if (Object.keys(change).length > 0) {
    const params = { ...change, id: `${subject.project.id}`, merge_request_iid: request.iid };
    await applyChange(services, trx, writer, subject, request.id, params);
  }
  const again = (changes.request_review_ids ?? []).filter((id) => reviewerIds.includes(id));
  await askAgain(trx, request, user.id, again);
  const target = targetOf(request);
  const { time_estimate, spend_time, todo_event, subscription_event, emoji_award } = changes;
  if (time_estimate !== undefined) await changeTimes(services, trx, request.id, user.id, estimating(time_estimate));
  if (spend_time) await changeTimes(services, trx, request.id, user.id, spendingAsSaid(spend_time));
  if (subscription_event) await setSubscription(trx, user.id, target, subscription_event === 'subscribe');
  if (emoji_award) {
    await awards.toggleAward(services, trx, user.id, { target, about: target, mayAward: true }, emoji_award);
  }
  if (changes.rebase) await enqueueRebase(services, trx, writer, request.id);
  if (changes.merge) await setAutoMergeIn(services, trx, writer, request);
  // Last: whoever acts on something has done what they had to do about it.
  if (todo_event === 'add') await addTodo(trx, { userId: user.id, authorId: user.id, target, action: 'marked' });
  if (todo_event === 'done') await finishTodos(trx, user.id, target);
}
