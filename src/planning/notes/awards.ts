import type { Services } from '../../access/services.ts';
import { NotFound } from '../../platform/http/errors.ts';
import type { Awardable } from '../award-emoji/public.ts';
import { isAbout, type Noteable } from './noteable.ts';
import { findNote } from './store.ts';

/** Who may comment on something may react to it. */
export function awardableOf({ target, may }: Noteable): Awardable {
  return { target, about: target, mayAward: may.comment };
}

/** A note of this very thing, to be reacted to; what the system notes cannot be. */
export async function awardableNote({ db }: Services, noteable: Noteable, noteId: number): Promise<Awardable> {
  const note = await findNote(db.read, noteId);
  if (!note || !isAbout(noteable, note)) throw NotFound.record();
  if (note.internal === 1 && !noteable.may.internal) throw new NotFound('Award Emoji');
  const { project_id, namespace_id } = note;
  return {
    target: { type: 'Note', id: note.id, project_id, namespace_id },
    about: noteable.target,
    mayAward: noteable.may.comment && note.system === 0,
  };
}
