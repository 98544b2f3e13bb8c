import type { NoteRow } from '../../../planning/notes/public.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';
import type { Proposal } from './parse.ts';
import type { SuggestionRow } from './tables.ts';

const ofNotes = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('suggestions')
    .selectAll()
    .where('note_id', 'in', param.ids('ids'))
    .orderBy('note_id')
    .orderBy('relative_order'),
);

export function suggestionsOfNotes(db: Reader, noteIds: readonly number[]): Promise<SuggestionRow[]> {
  return noteIds.length === 0 ? Promise.resolve([]) : ofNotes.all(db, { ids: noteIds });
}

const byIds = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db.selectFrom('suggestions').selectAll().where('id', 'in', param.ids('ids')).orderBy('id'),
);
const notesByIds = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db.selectFrom('notes').selectAll().where('id', 'in', param.ids('ids')),
);

/** Suggestions with their notes. */
export async function suggestionsWithNotes(
  db: Reader,
  ids: readonly number[],
): Promise<{ suggestion: SuggestionRow; note: NoteRow }[]> {
  const rows = await byIds.all(db, { ids });
  const notes = rows.length === 0 ? [] : await notesByIds.all(db, { ids: rows.map(({ note_id }) => note_id) });
  const byId = new Map(notes.map((note) => [note.id, note]));
  return rows.flatMap((suggestion) => {
    const note = byId.get(suggestion.note_id);
    return note ? [{ suggestion, note }] : [];
  });
}

/** Replaces the suggestions of a note, unless one of them has been applied. */
export async function replaceSuggestions(trx: Writer, noteId: number, proposals: readonly Proposal[]): Promise<void> {
  const applied = await trx
    .selectFrom('suggestions')
    .select('id')
    .where('note_id', '=', noteId)
    .where('commit_id', 'is not', null)
    .executeTakeFirst();
  if (applied) return;
  await trx.deleteFrom('suggestions').where('note_id', '=', noteId).execute();
  const rows = proposals.map(({ above, below, content }, relative_order) => ({
    note_id: noteId,
    relative_order,
    lines_above: above,
    lines_below: below,
    to_content: content,
  }));
  if (rows.length > 0) await trx.insertInto('suggestions').values(rows).execute();
}

/**
 * Records which suggestions a commit will apply when it is pushed; concurrent attempts may record the same suggestions.
 * A retry within the same second yields the same commit, which may already be recorded.
 */
export async function recordCommit(trx: Writer, sha: string, ids: readonly number[]): Promise<void> {
  const rows = ids.map((suggestion_id) => ({ sha, suggestion_id }));
  await trx
    .insertInto('suggestion_commits')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

const ofCommit = statement((db, param: Param<{ sha: string }>) =>
  db.selectFrom('suggestion_commits').select('suggestion_id').where('sha', '=', param('sha')),
);

/** Marks the suggestions recorded for a pushed commit as applied; returns the IDs of their notes. */
export async function markApplied(trx: Writer, sha: string): Promise<number[]> {
  const ids = (await ofCommit.all(trx, { sha })).map(({ suggestion_id }) => suggestion_id);
  if (ids.length === 0) return [];
  const marked = await trx
    .updateTable('suggestions')
    .set({ commit_id: sha })
    .where('id', 'in', ids)
    .where('commit_id', 'is', null)
    .returning('note_id')
    .execute();
  await trx.deleteFrom('suggestion_commits').where('suggestion_id', 'in', ids).execute();
  return marked.map(({ note_id }) => note_id);
}

/** Threads of notes. */
export async function threadsOf(
  db: Reader,
  noteIds: readonly number[],
): Promise<Pick<NoteRow, 'noteable_id' | 'discussion_id'>[]> {
  return db
    .selectFrom('notes')
    .select(['noteable_id', 'discussion_id'])
    .distinct()
    .where('id', 'in', noteIds)
    .execute();
}
