import type { Writer } from '../../../platform/database/database.ts';
import { addSystemNote, systemTexts } from '../../notes/public.ts';
import type { Target } from '../../target.ts';
import { tasksOf } from '../../task-list.ts';
import type { IssueRow } from '../tables.ts';

export function targetOf({ id, project_id }: Pick<IssueRow, 'id' | 'project_id'>): Target {
  return { type: 'Issue', id, project_id, namespace_id: null };
}

/**
 * Maximum number of system notes for toggled tasks, because a description can contain a hundred thousand tasks. Above
 * it, only one note about the changed description is written.
 */
const maxTaskNotes = 100;

/** System notes of a changed description: one per toggled task if nothing else changed. */
export function descriptionNotes(before: string | null, after: string | null): string[] {
  if ((before ?? '') === (after ?? '')) return [];
  const [old, now] = [tasksOf(before ?? ''), tasksOf(after ?? '')];
  const sameTasks = old.length === now.length && old.every((task, index) => task.text === now[index]?.text);
  const toggled = now.filter((task, index) => task.state !== old[index]?.state);
  const unticked = (text: string) => text.replace(/\[[ xX~]\]/g, '[ ]');
  const boxByBox = sameTasks && toggled.length > 0 && toggled.length <= maxTaskNotes;
  if (boxByBox && unticked(before ?? '') === unticked(after ?? '')) {
    return toggled.map(({ text, state }) => systemTexts.taskChanged(text, state === 'done'));
  }
  return [systemTexts.descriptionChanged];
}

/** System notes for changed columns; labels, milestone and state are recorded elsewhere. */
export function changeNotes(before: IssueRow, after: IssueRow): string[] {
  const notes: string[] = [];
  if (before.title !== after.title) notes.push(systemTexts.titleChanged(before.title, after.title));
  notes.push(...descriptionNotes(before.description, after.description));
  const dates = systemTexts.datesChanged(before, after);
  if (dates !== undefined) notes.push(dates);
  if (before.confidential !== after.confidential) {
    notes.push(systemTexts.confidentialChanged(after.confidential === 1));
  }
  if ((before.discussion_locked ?? 0) !== (after.discussion_locked ?? 0)) {
    notes.push(systemTexts.lockChanged(after.discussion_locked === 1));
  }
  if (before.issue_type !== after.issue_type) {
    notes.push(systemTexts.typeChanged(before.issue_type, after.issue_type));
  }
  return notes;
}

export async function recordNotes(
  trx: Writer,
  issue: IssueRow,
  authorId: number,
  notes: readonly string[],
): Promise<void> {
  for (const body of notes) await addSystemNote(trx, targetOf(issue), authorId, body);
}
