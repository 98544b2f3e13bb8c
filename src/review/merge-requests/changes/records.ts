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

/** Creates a to-do item for the author and for the user who enabled auto-merge. */
export async function addTodoForOwners(
  trx: Writer,
  request: MergeRequestRow,
  action: 'unmergeable' | 'build_failed',
): Promise<void> {
  const merger = request.auto_merge === 0 ? null : request.merge_user_id;
  for (const userId of new Set([request.author_id, merger ?? request.author_id])) {
    await addTodo(trx, { userId, authorId: userId, target: requestTarget(request), action });
  }
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
