import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { lockRow } from '../../platform/database/locks.ts';
import { rubyDump } from '../../platform/http/answers/ruby-dump.ts';
import { BadRequest, Forbidden, NotFound } from '../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import { tooLong } from '../../platform/http/parameters/too-long.ts';
import { withoutHidden } from './cross-references/visible.ts';
import { noteList } from './list.ts';
import { isAbout, type Noteable } from './noteable.ts';
import { presentNotes } from './present.ts';
import type { NoteChangeParams, NoteEntity, NoteListParams } from './schema.ts';
import * as store from './store.ts';
import type { NoteRow } from './tables.ts';

declare module '../../platform/occurrences.ts' {
  interface Occurrences {
    /** A comment was written, changed or deleted; what the system notes is not told. */
    'note.changed': {
      readonly action: 'create' | 'update' | 'delete';
      readonly actorId: number;
      readonly note: NoteRow;
      /** What it said before it was changed. */
      readonly before?: string;
      readonly noteable: Noteable;
    };
  }
}

const longestNote = 1_000_000;

/** What is wrong with a note, as the documents word it. */
export function refused(problems: Readonly<Record<string, readonly string[]>>): Error {
  return new BadRequest(`Note ${rubyDump(problems)}`);
}

export function checkBody(body: string): string {
  if (body.trim() === '') throw refused({ note: ["can't be blank"] });
  const long = tooLong(body, longestNote);
  if (long !== undefined) throw refused({ note: [long] });
  return body;
}

export function scopeOf({ target, may }: Noteable) {
  return { type: target.type, id: target.id, internal: may.internal };
}

/** One page of what was said on something, as far as the reader may know of it. */
export async function noteRows(
  services: Services,
  noteable: Noteable,
  { sort, order_by, activity_filter }: NoteListParams,
  page: PageRequest,
): Promise<Page<NoteRow>> {
  const order = { by: order_by, direction: sort } as const;
  const found = await noteList.page(services.db.read, scopeOf(noteable), { activity_filter }, order, page);
  return new Page(await withoutHidden(services, noteable.reader, found.rows), found.total);
}

export async function listNotes(
  services: Services,
  noteable: Noteable,
  params: NoteListParams,
  page: PageRequest,
): Promise<Page<NoteEntity>> {
  const { items, total } = await noteRows(services, noteable, params, page);
  return new Page(await presentNotes(services, noteable, items), total);
}

/** A note of this very thing, which the caller may read. */
export async function requireNote(services: Services, noteable: Noteable, id: number): Promise<NoteRow> {
  const note = await store.findNote(services.db.read, id);
  if (!note || !isAbout(noteable, note)) throw NotFound.record();
  const [shown] = await withoutHidden(services, noteable.reader, [note]);
  if (!shown || (note.internal === 1 && !noteable.may.internal)) throw new NotFound('Note');
  return note;
}

export async function presentNote(
  services: Services,
  noteable: Noteable,
  note: NoteRow,
  changes: Readonly<Record<string, unknown>> = {},
): Promise<NoteEntity> {
  const [entity] = await presentNotes(services, noteable, [note], changes);
  if (!entity) throw NotFound.record();
  return entity;
}

export async function getNote(services: Services, noteable: Noteable, id: number): Promise<NoteEntity> {
  return presentNote(services, noteable, await requireNote(services, noteable, id));
}

function checkEditable(caller: SignedInActor, { may }: Noteable, note: NoteRow): void {
  const own = note.author_id === caller.user.id && may.comment;
  if (note.system === 1 || !(own || may.manage)) throw new Forbidden();
}

export async function updateNote(
  services: Services,
  caller: SignedInActor,
  noteable: Noteable,
  id: number,
  { body, confidential }: NoteChangeParams,
): Promise<NoteEntity> {
  const note = await requireNote(services, noteable, id);
  checkEditable(caller, noteable, note);
  if (confidential !== undefined && confidential !== (note.internal === 1)) {
    throw refused({ confidential: ['can not be changed for existing notes'] });
  }
  if (body === undefined || body === note.body) return presentNote(services, noteable, note);
  const change = { body: checkBody(body), updated_by_id: caller.user.id, updated_at: Date.now() };
  const changed = await services.db.write(async (trx) => {
    const after = await store.updateNote(trx, note.id, change);
    await services.announce(trx, 'note.changed', {
      action: 'update',
      actorId: caller.user.id,
      note: after,
      before: note.body,
      noteable,
    });
    return after;
  });
  return presentNote(services, noteable, changed);
}

export async function deleteNote(
  services: Services,
  caller: SignedInActor,
  noteable: Noteable,
  id: number,
): Promise<void> {
  const note = await requireNote(services, noteable, id);
  checkEditable(caller, noteable, note);
  await services.db.write(async (trx) => {
    // Once, for whoever counts them; and after those who are reacting to it.
    if (!(await lockRow(trx, 'notes', note.id, 'remove'))) throw NotFound.record();
    await services.announce(trx, 'note.changed', { action: 'delete', actorId: caller.user.id, note, noteable });
    await store.deleteNote(trx, note.id);
  });
}
