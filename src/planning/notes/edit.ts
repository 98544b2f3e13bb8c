import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import { lockRow } from '../../platform/database/locks.ts';
import { BadRequest, Forbidden, NotFound } from '../../platform/http/errors.ts';
import { checkUnmodified } from '../../platform/http/responses/precondition.ts';
import { executeForNote, readCommands, summaryOf } from '../quick-actions/public.ts';
import type { Noteable } from './noteable.ts';
import type { CommandsEntity, NoteChangeParams, NoteEntity } from './schema.ts';
import { checkBody, noteValidationError, presentNote, requireNote } from './service.ts';
import * as store from './store.ts';
import type { NoteRow } from './tables.ts';

function checkEditable(caller: SignedInActor, { may }: Noteable, note: NoteRow): void {
  const own = note.author_id === caller.user.id && may.comment;
  if (note.system === 1 || !(own || may.manage)) throw new Forbidden();
}

async function change(
  services: Services,
  trx: Writer,
  caller: SignedInActor,
  noteable: Noteable,
  note: NoteRow,
  body: string,
) {
  const actorId = caller.user.id;
  const after = await store.updateNote(trx, note.id, { body, updated_by_id: actorId, updated_at: Date.now() });
  await services.announce(trx, 'note.changed', { action: 'update', actorId, note: after, before: note.body, noteable });
  return after;
}

async function remove(services: Services, trx: Writer, caller: SignedInActor, noteable: Noteable, note: NoteRow) {
  // The lock ensures that the deletion is announced once, and waits for reactions being added to the note.
  if (!(await lockRow(trx, 'notes', note.id, 'remove'))) throw NotFound.record();
  await services.announce(trx, 'note.changed', { action: 'delete', actorId: caller.user.id, note, noteable });
  await store.deleteNote(trx, note.id);
}

/**
 * Updates a note and executes the quick actions in the new body atomically. A note that is left without any other text
 * is deleted.
 */
export async function updateNote(
  services: Services,
  caller: SignedInActor,
  noteable: Noteable,
  id: number,
  { body: sent, confidential }: NoteChangeParams,
): Promise<NoteEntity | CommandsEntity> {
  const note = await requireNote(services, noteable, id);
  checkEditable(caller, noteable, note);
  if (confidential !== undefined && confidential !== (note.internal === 1)) {
    throw noteValidationError({ confidential: ['can not be changed for existing notes'] });
  }
  if (sent === undefined || sent === note.body) return presentNote(services, noteable, note);
  const { commands } = noteable;
  const { body, onlyCommands, changes, messages } = commands
    ? await readCommands(checkBody(sent), commands)
    : { body: checkBody(sent), onlyCommands: false, changes: {}, messages: [] };
  if (onlyCommands && messages.length === 0) throw new BadRequest('Failed to apply commands.');
  const after = await services.db.write(async (trx) => {
    const changed = onlyCommands ? undefined : await change(services, trx, caller, noteable, note, body);
    if (onlyCommands) await remove(services, trx, caller, noteable, note);
    if (commands && Object.keys(changes).length > 0) await executeForNote(commands, trx, changes);
    return changed;
  });
  if (after) return presentNote(services, noteable, after, { ...changes });
  return { commands_changes: { ...changes }, summary: summaryOf(messages) };
}

export async function deleteNote(
  services: Services,
  caller: SignedInActor,
  noteable: Noteable,
  id: number,
  http: Parameters<typeof checkUnmodified>[0],
): Promise<void> {
  const note = await requireNote(services, noteable, id);
  checkEditable(caller, noteable, note);
  checkUnmodified(http, note.updated_at);
  await services.db.write((trx) => remove(services, trx, caller, noteable, note));
}
