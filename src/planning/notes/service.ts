import type { Services } from '../../access/services.ts';
import { BadRequest, NotFound } from '../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import { lengthProblem } from '../../platform/http/parameters/too-long.ts';
import { rubyDump } from '../../platform/http/responses/ruby-dump.ts';
import { filterVisibleNotes } from './cross-references/visible.ts';
import { noteList } from './list.ts';
import { belongsToNoteable, type Noteable } from './noteable.ts';
import { presentNotes } from './present.ts';
import type { NoteEntity, NoteListParams } from './schema.ts';
import * as store from './store.ts';
import type { NoteRow } from './tables.ts';

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    /** A note was created, updated or deleted; not announced for system notes. */
    'note.changed': {
      readonly action: 'create' | 'update' | 'delete';
      readonly actorId: number;
      readonly note: NoteRow;
      /** The body before the update. */
      readonly before?: string;
      readonly noteable: Noteable;
    };
  }
}

const maxNoteLength = 1_000_000;

/** The documented error of an invalid note. */
export function noteValidationError(problems: Readonly<Record<string, readonly string[]>>): Error {
  return new BadRequest(`Note ${rubyDump(problems)}`);
}

export function checkBody(body: string): string {
  if (body.trim() === '') throw noteValidationError({ note: ["can't be blank"] });
  const long = lengthProblem(body, maxNoteLength);
  if (long !== undefined) throw noteValidationError({ note: [long] });
  return body;
}

export function scopeOf({ target, may }: Noteable) {
  return { type: target.type, id: target.id, internal: may.internal };
}

/** Returns a page of the notes on a noteable that the caller may read. */
export async function noteRows(
  services: Services,
  noteable: Noteable,
  { sort, order_by, activity_filter }: NoteListParams,
  page: PageRequest,
): Promise<Page<NoteRow>> {
  const order = { by: order_by, direction: sort } as const;
  const found = await noteList.page(services.db.read, scopeOf(noteable), { activity_filter }, order, page);
  return new Page(await filterVisibleNotes(services, noteable.reader, found.rows), found.total);
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

/** Returns a note on this noteable that the caller may read. */
export async function requireNote(services: Services, noteable: Noteable, id: number): Promise<NoteRow> {
  const note = await store.findNote(services.db.read, id);
  if (!note || !belongsToNoteable(noteable, note)) throw NotFound.record();
  const [shown] = await filterVisibleNotes(services, noteable.reader, [note]);
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
