import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { recordEvent } from '../../namespaces/events/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import { BadRequest, Forbidden, NotFound } from '../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../platform/http/pagination.ts';
import { rubyDump } from '../../platform/http/ruby-dump.ts';
import { tooLong } from '../../platform/http/too-long.ts';
import { type AwardEntity, awards } from '../award-emoji/public.ts';
import { reactionIn } from '../emoji/public.ts';
import { awardableOf } from './awards.ts';
import { noteList } from './list.ts';
import { type DiffPlace, isAbout, type Noteable } from './noteable.ts';
import { presentNotes } from './present.ts';
import type { NewNoteParams, NoteChangeParams, NoteEntity, NoteListParams } from './schema.ts';
import * as store from './store.ts';
import type { NoteRow } from './tables.ts';

declare module '../../platform/occurrences.ts' {
  interface Occurrences {
    /** A comment was written, changed or deleted; what the system notes is not told. */
    'note.changed': {
      readonly action: 'create' | 'update' | 'delete';
      readonly actorId: number;
      readonly note: NoteRow;
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

export function scopeOf({ target, commitId, may }: Noteable) {
  const internal = may.internal;
  if (commitId === undefined) return { type: target.type, id: target.id, internal };
  return { type: target.type, project: target.project_id ?? undefined, commit: commitId, internal };
}

export async function listNotes(
  services: Services,
  noteable: Noteable,
  { sort, order_by, activity_filter }: NoteListParams,
  page: PageRequest,
): Promise<Page<NoteEntity>> {
  const order = { by: order_by, direction: sort } as const;
  const found = await noteList.page(services.db.read, scopeOf(noteable), { activity_filter }, order, page);
  return new Page(await presentNotes(services, noteable, found.rows), found.total);
}

/** A note of this very thing, which the caller may read. */
export async function requireNote({ db }: Services, noteable: Noteable, id: number): Promise<NoteRow> {
  const note = await store.findNote(db.read, id);
  if (!note || !isAbout(noteable, note)) throw NotFound.record();
  if (note.internal === 1 && !noteable.may.internal) throw new NotFound('Note');
  return note;
}

export async function presentNote(services: Services, noteable: Noteable, note: NoteRow): Promise<NoteEntity> {
  const [entity] = await presentNotes(services, noteable, [note]);
  if (!entity) throw NotFound.record();
  return entity;
}

export async function getNote(services: Services, noteable: Noteable, id: number): Promise<NoteEntity> {
  return presentNote(services, noteable, await requireNote(services, noteable, id));
}

/** When a note was written, by those who may say so. */
function timeOf({ may }: Noteable, created_at: number | undefined): number {
  if (created_at === undefined || !may.chooseTimes) return Date.now();
  if (created_at < 0) throw refused({ created_at: ['The created date provided is too far in the past.'] });
  return created_at;
}

function isInternal(noteable: Noteable, { internal, confidential }: NewNoteParams): boolean {
  const wanted = internal ?? confidential ?? false;
  if (wanted && !noteable.hasInternalNotes) throw refused({ confidential: ['can not be set for this resource'] });
  return wanted && noteable.may.internal;
}

/** A thread that a note goes into, and of what kind it is there. */
export interface Thread {
  readonly type: NoteRow['type'];
  readonly discussionId: string;
  readonly internal?: boolean;
  readonly place?: DiffPlace | undefined;
}

function placed(place: DiffPlace | undefined) {
  if (!place) return {};
  const position = JSON.stringify(place.position);
  return { position, original_position: position, line_code: place.lineCode };
}

/** Writes a comment, in a transaction of the caller's, with what follows from it. */
export async function addNote(
  services: Services,
  trx: Writer,
  caller: SignedInActor,
  noteable: Noteable,
  params: NewNoteParams,
  thread: Thread = { type: null, discussionId: store.newDiscussionId() },
): Promise<NoteRow> {
  const at = timeOf(noteable, params.created_at);
  const { target, commitId } = noteable;
  const note = await store.insertNote(trx, {
    noteable_type: target.type,
    noteable_id: commitId === undefined ? target.id : null,
    commit_id: commitId ?? thread.place?.commitId ?? null,
    project_id: target.project_id,
    namespace_id: target.namespace_id,
    type: thread.type,
    discussion_id: thread.discussionId,
    author_id: caller.user.id,
    body: checkBody(params.body),
    ...placed(thread.place),
    internal: (thread.internal ?? isInternal(noteable, params)) ? 1 : 0,
    created_at: at,
    updated_at: at,
  });
  await recordEvent(trx, {
    projectId: target.project_id,
    namespaceId: target.namespace_id,
    authorId: caller.user.id,
    action: 'commented',
    audience: note.internal === 1 ? 'internal' : noteable.audience,
    target: { type: note.type ?? 'Note', id: note.id, iid: noteable.iid, title: noteable.title },
  });
  await services.announce(trx, 'note.changed', { action: 'create', actorId: caller.user.id, note, noteable });
  return note;
}

/** Comments on something; a comment that is nothing but an emoji becomes a reaction to it. */
export async function createNote(
  services: Services,
  caller: SignedInActor,
  noteable: Noteable,
  params: NewNoteParams,
): Promise<NoteEntity | AwardEntity> {
  if (!noteable.may.comment) throw new Forbidden();
  checkBody(params.body);
  const reaction = noteable.commitId === undefined ? reactionIn(params.body) : undefined;
  if (reaction !== undefined) return awards.awardOnce(services, caller, awardableOf(noteable), reaction);
  const note = await services.db.write((trx) => addNote(services, trx, caller, noteable, params));
  return presentNote(services, noteable, note);
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
    await services.announce(trx, 'note.changed', { action: 'update', actorId: caller.user.id, note: after, noteable });
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
    await services.announce(trx, 'note.changed', { action: 'delete', actorId: caller.user.id, note, noteable });
    await store.deleteNote(trx, note.id);
  });
}
