import type { Services } from '../../../access/services.ts';
import { recordEvent } from '../../../namespaces/events/public.ts';
import { descriptionNotes } from '../../../planning/issues/public.ts';
import { addSystemNote, systemTexts } from '../../../planning/notes/public.ts';
import type { Target } from '../../../planning/target.ts';
import { addTodo } from '../../../planning/todos/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import * as texts from '../system-texts.ts';
import type { MergeRequestRow } from '../tables.ts';
import { withoutDraft } from './draft.ts';

export function requestTarget({ id, project_id }: Pick<MergeRequestRow, 'id' | 'project_id'>): Target {
  return { type: 'MergeRequest', id, project_id, namespace_id: null };
}

/** Adding or removing the draft prefix does not count as a changed title. */
function titleNotes(before: MergeRequestRow, after: MergeRequestRow): string[] {
  const notes: string[] = [];
  if (before.draft !== after.draft) notes.push(texts.draftChanged(after.draft === 1));
  if (withoutDraft(before.title) !== withoutDraft(after.title)) {
    notes.push(systemTexts.titleChanged(before.title, after.title));
  }
  return notes;
}

/** System notes for changed columns; labels, milestone and state are recorded elsewhere. */
export function changeNotes(before: MergeRequestRow, after: MergeRequestRow): string[] {
  const notes = [...titleNotes(before, after), ...descriptionNotes(before.description, after.description)];
  if (before.target_branch !== after.target_branch) {
    notes.push(texts.targetChanged(before.target_branch, after.target_branch));
  }
  if ((before.discussion_locked ?? 0) !== (after.discussion_locked ?? 0)) {
    notes.push(systemTexts.lockChanged(after.discussion_locked === 1, 'merge request'));
  }
  return notes;
}

export async function recordNotes(
  trx: Writer,
  request: Pick<MergeRequestRow, 'id' | 'project_id'>,
  authorId: number,
  notes: readonly string[],
): Promise<void> {
  for (const body of notes) await addSystemNote(trx, requestTarget(request), authorId, body);
}

/** The author, and the user who enabled auto-merge. */
function ownersOf({ author_id, auto_merge, merge_user_id }: MergeRequestRow): number[] {
  const merger = auto_merge === 0 ? null : merge_user_id;
  return [...new Set([author_id, merger ?? author_id])];
}

/** Creates a to-do item for each owner of a merge request. */
export async function addTodoForOwners(
  trx: Writer,
  request: MergeRequestRow,
  action: 'unmergeable' | 'build_failed',
): Promise<void> {
  for (const userId of ownersOf(request)) {
    await addTodo(trx, { userId, authorId: userId, target: requestTarget(request), action });
  }
}

/** A merge request has come into conflict with its target branch. */
export async function recordConflict({ announce }: Services, trx: Writer, request: MergeRequestRow): Promise<void> {
  await addTodoForOwners(trx, request, 'unmergeable');
  await announce(trx, 'merge-request.conflicted', { request, ownerIds: ownersOf(request) });
}

/** Records an event in the activity feed. */
export async function recordActivity(
  trx: Writer,
  request: MergeRequestRow,
  authorId: number,
  action: 'created' | 'closed' | 'reopened' | 'merged' | 'approved',
): Promise<void> {
  await recordEvent(trx, {
    projectId: request.project_id,
    authorId,
    action,
    audience: 'merge_requests',
    target: { type: 'MergeRequest', id: request.id, iid: request.iid, title: request.title },
  });
}
