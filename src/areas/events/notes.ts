import type { Reader } from '../../platform/database/database.ts';
import type { EventNoteEntity } from './schema.ts';
import type { EventRow } from './tables.ts';

/** What somebody said; who it was, the event itself tells. */
export type SaidNote = Omit<EventNoteEntity, 'author'>;

/** Finds notes by their numbers. */
export type NoteFinder = (db: Reader, ids: readonly number[]) => Promise<readonly SaidNote[]>;

let finder: NoteFinder | undefined;

/** Lets the area that keeps notes show them in the feed. Call it once, at the top of a module. */
export function onEventNotes(find: NoteFinder): void {
  finder = find;
}

/** The notes that events are about, by their numbers. */
export async function notesOf(db: Reader, events: readonly EventRow[]): Promise<ReadonlyMap<number, SaidNote>> {
  const ids = events.flatMap((event) => (isOfNote(event) && event.target_id !== null ? [event.target_id] : []));
  const found = finder && ids.length > 0 ? await finder(db, ids) : [];
  return new Map(found.map((note) => [note.id, note]));
}

export function isOfNote({ target_type }: Pick<EventRow, 'target_type'>): boolean {
  return target_type === 'Note' || target_type === 'DiffNote' || target_type === 'DiscussionNote';
}
