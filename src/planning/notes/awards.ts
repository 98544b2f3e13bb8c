import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { NotFound, ParameterError } from '../../platform/http/errors.ts';
import { type Awardable, awards } from '../award-emoji/public.ts';
import { belongsToNoteable, type Noteable } from './noteable.ts';
import { findNote, readableNoteIds } from './store.ts';

/** A noteable as the target of emoji reactions, which require permission to comment. */
export function awardableOf({ target, may }: Noteable): Awardable {
  return { target, about: target, mayAward: may.comment };
}

/** A note on this noteable as the target of emoji reactions; system notes cannot have any. */
export async function awardableNote({ db }: Services, noteable: Noteable, noteId: number): Promise<Awardable> {
  const note = await findNote(db.read, noteId);
  if (!note || !belongsToNoteable(noteable, note)) throw NotFound.record();
  if (note.internal === 1 && !noteable.may.internal) throw new NotFound('Award Emoji');
  const { project_id, namespace_id } = note;
  return {
    target: { type: 'Note', id: note.id, project_id, namespace_id },
    about: noteable.target,
    mayAward: noteable.may.comment && note.system === 0,
  };
}

/** Emoji reactions to these notes of a noteable, limited to notes the caller may read. */
export async function reactionsToNotes(
  services: Services,
  caller: Actor,
  { target, may }: Noteable,
  noteIds: readonly number[],
): Promise<awards.NoteReactionEntity[]> {
  if (noteIds.length > awards.maxNotesCounted) throw new ParameterError('note_ids has too many values');
  const scope = { type: target.type, id: target.id, internal: may.internal };
  const ids = await readableNoteIds(services.db.read, scope, noteIds);
  return ids.length === 0 ? [] : awards.countNoteReactions(services, caller, ids);
}
