import { findUser } from '../../../access/credentials/identify.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import type { User } from '../../../access/tables.ts';
import { filterAssignableUsers as readersOf } from '../../../planning/issues/public.ts';
import { bestPriority } from '../../../planning/labels/public.ts';
import { systemTexts } from '../../../planning/notes/public.ts';
import { recordLabels } from '../../../planning/resource-events/public.ts';
import { addTodo } from '../../../planning/todos/public.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { type RequestState, stateOf } from '../service.ts';
import * as store from '../store.ts';
import type { MergeRequestRow } from '../tables.ts';
import { recordNotes, requestTarget } from './records.ts';

/** Filters users to those who can read the project's merge requests, and so can be assigned. */
export const filterAssignableUsers = (db: Reader, subject: ProjectSubject, ids: readonly number[]): Promise<User[]> =>
  readersOf(db, subject, ids, 'read_merge_request');

export async function setLabels(
  trx: Writer,
  { request, labelIds }: RequestState,
  userId: number,
  wanted: readonly number[],
): Promise<number | null> {
  const added = wanted.filter((id) => !labelIds.includes(id));
  const removed = labelIds.filter((id) => !wanted.includes(id));
  await store.addLabels(trx, request.id, added);
  await store.removeLabels(trx, request.id, removed);
  await recordLabels(trx, { target: requestTarget(request), userId }, { added, removed });
  return bestPriority(trx, request.project_id, wanted);
}

/** IDs of the new assignees or reviewers and the system note about the change. */
interface PeopleChange {
  readonly ids: readonly number[];
  readonly note: string;
}

interface PeopleKind {
  readonly present: readonly number[];
  readonly add: typeof store.addAssignees;
  readonly remove: typeof store.removeAssignees;
  readonly todo: 'assigned' | 'review_requested';
  readonly text: typeof systemTexts.assigneesChanged;
}

async function setPeople(
  trx: Writer,
  { request }: RequestState,
  userId: number,
  wanted: readonly User[],
  kind: PeopleKind,
): Promise<PeopleChange | undefined> {
  const added = wanted.filter(({ id }) => !kind.present.includes(id));
  const removedIds = kind.present.filter((id) => !wanted.some((user) => user.id === id));
  if (added.length === 0 && removedIds.length === 0) return undefined;
  await kind.add(
    trx,
    request.id,
    added.map(({ id }) => id),
  );
  await kind.remove(trx, request.id, removedIds);
  for (const { id } of added) {
    await addTodo(trx, { userId: id, authorId: userId, target: requestTarget(request), action: kind.todo });
  }
  const removed = await Promise.all(removedIds.map((id) => findUser(trx, id)));
  const note = kind.text(
    added.map(({ username }) => username),
    removed.flatMap((user) => user?.username ?? []),
  );
  return { ids: wanted.map(({ id }) => id), note };
}

export function setAssignees(trx: Writer, state: RequestState, userId: number, wanted: readonly User[]) {
  return setPeople(trx, state, userId, wanted, {
    present: state.assigneeIds,
    add: store.addAssignees,
    remove: store.removeAssignees,
    todo: 'assigned',
    text: systemTexts.assigneesChanged,
  });
}

export function setReviewers(trx: Writer, state: RequestState, userId: number, wanted: readonly User[]) {
  return setPeople(trx, state, userId, wanted, {
    present: state.reviewerIds,
    add: store.addReviewers,
    remove: store.removeReviewers,
    todo: 'review_requested',
    text: systemTexts.reviewersChanged,
  });
}

/** Requests another review: reviewers get a new to-do item and their previous review is reset. */
export async function rerequestReview(
  services: Services,
  trx: Writer,
  request: MergeRequestRow,
  userId: number,
  reviewerIds: readonly number[],
): Promise<void> {
  if (reviewerIds.length === 0) return;
  const before = await stateOf(trx, request);
  const names: string[] = [];
  for (const id of reviewerIds) {
    await store.setReviewState(trx, request.id, id, 'unreviewed');
    await addTodo(trx, { userId: id, authorId: userId, target: requestTarget(request), action: 'review_requested' });
    const reviewer = await findUser(trx, id);
    if (reviewer) names.push(reviewer.username);
  }
  await recordNotes(trx, request, userId, [systemTexts.reviewersChanged(names, [])]);
  const after = await stateOf(trx, await store.updateRequest(trx, request.id, { updated_at: Date.now() }));
  await services.announce(trx, 'merge-request.changed', { action: 'update', actorId: userId, before, after });
}
