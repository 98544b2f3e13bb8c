import type { Services } from '../../access/services.ts';
import type { Reader } from '../../platform/database/database.ts';
import type { EventNoteEntity } from './schema.ts';
import type { EventRow } from './tables.ts';

/** A note as embedded in an event, without the author, who is part of the event. */
export type EmbeddedNote = Omit<EventNoteEntity, 'author'>;

/** Finds notes by id. */
export type NoteFinder = (db: Reader, ids: readonly number[]) => Promise<readonly EmbeddedNote[]>;

declare module '../../platform/domain-events.ts' {
  interface Contributions {
    'events.notes': NoteFinder;
  }
}

/** Loads the notes that the given events refer to, keyed by id. */
export async function notesOf(
  { db, contributions }: Services,
  events: readonly EventRow[],
): Promise<ReadonlyMap<number, EmbeddedNote>> {
  const ids = events.flatMap((event) => (isOfNote(event) && event.target_id !== null ? [event.target_id] : []));
  if (ids.length === 0) return new Map();
  const found = await Promise.all(contributions('events.notes').map((find) => find(db.read, ids)));
  return new Map(found.flat().map((note) => [note.id, note]));
}

export function isOfNote({ target_type }: Pick<EventRow, 'target_type'>): boolean {
  return target_type === 'Note' || target_type === 'DiffNote' || target_type === 'DiscussionNote';
}
