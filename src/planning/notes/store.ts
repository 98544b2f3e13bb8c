import { randomBytes } from 'node:crypto';
import type { Insertable } from 'kysely';
import type { Writer } from '../../platform/database/database.ts';
import type { Target } from '../target.ts';
import type { NoteRow, NotesTable } from './tables.ts';

/** A thread's name. */
export function newDiscussionId(): string {
  return randomBytes(20).toString('hex');
}

export function insertNote(trx: Writer, row: Insertable<NotesTable>): Promise<NoteRow> {
  return trx.insertInto('notes').values(row).returningAll().executeTakeFirstOrThrow();
}

/** Records on a target that somebody changed it, in the words of the documents. */
export async function addSystemNote(
  trx: Writer,
  target: Target,
  authorId: number,
  body: string,
  { at = Date.now(), internal = false } = {},
): Promise<NoteRow> {
  return insertNote(trx, {
    noteable_type: target.type,
    noteable_id: target.id,
    commit_id: null,
    project_id: target.project_id,
    namespace_id: target.namespace_id,
    type: null,
    discussion_id: newDiscussionId(),
    author_id: authorId,
    body,
    system: 1,
    internal: internal ? 1 : 0,
    created_at: at,
    updated_at: at,
  });
}

/** Removes everything that was said about targets that are removed. */
export async function deleteNotesOf(trx: Writer, type: Target['type'], ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await trx.deleteFrom('notes').where('noteable_type', '=', type).where('noteable_id', 'in', ids).execute();
}
