import type { Services } from '../../../access/services.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { instant, instantOrNull } from '../../../platform/http/schema.ts';
import { storedRecord } from '../../../platform/stored-json.ts';
import * as rows from '../relation-store.ts';
import { type BatchRange, groupByParent, idsOf, iterateRows, type Line } from './walk.ts';

/** Reactions to records of one type. */
export async function awardsFor(
  db: Reader,
  type: rows.Awarded,
  ids: readonly number[],
): Promise<(id: number) => Line[]> {
  const found = ids.length === 0 ? [] : await rows.awardsOn(db, type, ids);
  const awards = groupByParent(found, ({ awardable_id }) => awardable_id);
  return (id) =>
    awards(id).map(({ name, user_id, created_at }) => ({ name, user_id, created_at: instant(created_at) }));
}

/** Notes on records of one type, with reactions to them. */
export async function notesFor(
  db: Reader,
  type: rows.Commented,
  ids: readonly number[],
): Promise<(id: number) => Line[]> {
  const notes = await rows.notesOf(db, type, ids);
  const awards = await awardsFor(db, 'Note', idsOf(notes));
  const on = groupByParent(notes, ({ noteable_id }) => noteable_id);
  return (id) =>
    on(id).map((note) => ({
      id: note.id,
      note: note.body,
      noteable_type: type,
      author_id: note.author_id,
      type: note.type,
      discussion_id: note.discussion_id,
      commit_id: note.commit_id,
      system: note.system === 1,
      internal: note.internal === 1,
      line_code: note.line_code,
      position: readPosition(note.position),
      original_position: readPosition(note.original_position),
      resolved_at: instantOrNull(note.resolved_at),
      resolved_by_id: note.resolved_by_id,
      updated_by_id: note.updated_by_id,
      created_at: instant(note.created_at),
      updated_at: instant(note.updated_at),
      award_emoji: awards(note.id),
    }));
}

function readPosition(text: string | null): unknown {
  return text === null ? null : storedRecord(text);
}

/** Comments on commits, one per line. */
export async function* commitNotes({ db: { read: db } }: Services, projectId: number): AsyncGenerator<Line, void> {
  const read = (part: BatchRange) => rows.notedCommitsAfter(db, part);
  for await (const part of iterateRows(read, projectId, ({ id }) => id)) {
    const notes = await notesFor(db, 'Commit', idsOf(part));
    for (const { id } of part) yield* notes(id);
  }
}
