import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { BadRequest, Forbidden, NotFound } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { storedRecord } from '../../../platform/stored-json.ts';
import { postNote } from '../create.ts';
import { filterVisibleNotes } from '../cross-references/visible.ts';
import { deleteNote, updateNote } from '../edit.ts';
import { belongsToNoteable, type DiffPosition, type Noteable } from '../noteable.ts';
import { isResolvable, presentNotes } from '../present.ts';
import type { CommandsEntity, NoteEntity } from '../schema.ts';
import { checkBody, noteValidationError, presentNote, scopeOf } from '../service.ts';
import { newDiscussionId } from '../store.ts';
import type { NoteRow } from '../tables.ts';
import { threadList } from './list.ts';
import type { DiscussionEntity, NewReplyParams, NewThreadParams, ReplyChangeParams } from './schema.ts';
import * as store from './store.ts';

declare module '../../../platform/domain-events.ts' {
  interface DomainEvents {
    /** Notes of a thread were resolved or unresolved. */
    'discussion.resolved': {
      readonly actorId: number;
      readonly noteable: Noteable;
      readonly discussionId: string;
      readonly resolved: boolean;
    };
  }
}

async function presentThreads(
  services: Services,
  noteable: Noteable,
  threads: readonly (readonly NoteRow[])[],
): Promise<DiscussionEntity[]> {
  const entities = await presentNotes(services, noteable, threads.flat());
  let next = 0;
  return threads.map((rows) => {
    const notes = entities.slice(next, next + rows.length);
    next += rows.length;
    return { id: rows[0]?.discussion_id ?? '', individual_note: rows[0]?.type === null, notes };
  });
}

export async function listDiscussions(
  services: Services,
  noteable: Noteable,
  page: PageRequest,
): Promise<Page<DiscussionEntity>> {
  const { read } = services.db;
  const order = { by: 'created_at', direction: 'asc' } as const;
  const { rows, total } = await threadList.page(read, scopeOf(noteable), {}, order, page);
  const ids = rows.map(({ discussion_id }) => discussion_id);
  const found = [...(await store.notesOfThreads(read, ids)).values()].flat();
  const notes = Map.groupBy(await filterVisibleNotes(services, noteable.reader, found), (note) => note.discussion_id);
  const threads = ids.flatMap((id) => [notes.get(id) ?? []]).filter(({ length }) => length > 0);
  return new Page(await presentThreads(services, noteable, threads), total);
}

/** Returns the notes of a thread on this noteable that the caller may read. */
async function requireThread(
  services: Services,
  noteable: Noteable,
  id: string,
  what = 'Discussion',
): Promise<[NoteRow, ...NoteRow[]]> {
  const found = (await store.notesOfThreads(services.db.read, [id])).get(id) ?? [];
  const notes = await filterVisibleNotes(services, noteable.reader, found);
  const [first, ...rest] = notes.filter(
    (note) => belongsToNoteable(noteable, note) && (noteable.may.internal || !note.internal),
  );
  if (!first) throw new NotFound(what);
  return [first, ...rest];
}

async function presentThread(services: Services, noteable: Noteable, id: string): Promise<DiscussionEntity> {
  const [entity] = await presentThreads(services, noteable, [await requireThread(services, noteable, id)]);
  if (!entity) throw new NotFound('Discussion');
  return entity;
}

export function getDiscussion(services: Services, noteable: Noteable, id: string): Promise<DiscussionEntity> {
  return presentThread(services, noteable, id);
}

export async function listThreadNotes(services: Services, noteable: Noteable, id: string): Promise<NoteEntity[]> {
  return presentNotes(services, noteable, await requireThread(services, noteable, id, 'Notes'));
}

async function requireThreadNote(services: Services, noteable: Noteable, id: string, noteId: number): Promise<NoteRow> {
  const note = (await requireThread(services, noteable, id)).find((row) => row.id === noteId);
  if (!note) throw NotFound.record();
  return note;
}

export async function getThreadNote(
  services: Services,
  noteable: Noteable,
  id: string,
  noteId: number,
): Promise<NoteEntity> {
  return presentNote(services, noteable, await requireThreadNote(services, noteable, id, noteId));
}

/** Creates a thread, on a diff line if a position is given. */
export async function createDiscussion(
  services: Services,
  caller: SignedInActor,
  noteable: Noteable,
  params: NewThreadParams,
  place?: DiffPosition,
  also?: (trx: Writer, note: NoteRow | undefined) => Promise<void>,
): Promise<DiscussionEntity | CommandsEntity> {
  const discussionId = newDiscussionId();
  const thread = { type: place ? ('DiffNote' as const) : ('DiscussionNote' as const), discussionId, place };
  const result = await postNote(services, caller, noteable, params, async () => thread, also);
  return 'commands' in result ? result.commands : presentThread(services, noteable, discussionId);
}

/** Individual notes on commits and snippets cannot be replied to. */
function canBeReplied({ target }: Noteable, first: NoteRow): boolean {
  if (first.system === 1) return false;
  return first.type !== null || (target.type !== 'Commit' && target.type !== 'Snippet');
}

export async function replyTo(
  services: Services,
  caller: SignedInActor,
  noteable: Noteable,
  id: string,
  params: NewReplyParams,
  also?: (trx: Writer, note: NoteRow | undefined) => Promise<void>,
): Promise<NoteEntity | CommandsEntity> {
  const [first, ...rest] = await requireThread(services, noteable, id);
  if (!noteable.may.comment) throw new Forbidden();
  if (!canBeReplied(noteable, first)) throw new BadRequest('Discussion can not be replied to.');
  if (rest.length + 1 >= store.maxNotesInThread)
    throw noteValidationError({ base: ['Maximum number of comments exceeded'] });
  const within = async (trx: Writer) => {
    if (first.type === null) await store.beginThread(trx, first.id);
    const internal = first.internal === 1;
    return { type: first.type ?? ('DiscussionNote' as const), discussionId: id, internal, place: placeOf(first) };
  };
  const result = await postNote(services, caller, noteable, params, within, also);
  return 'commands' in result ? result.commands : presentNote(services, noteable, result.note, result.changes);
}

function placeOf({ position, line_code, commit_id, noteable_type }: NoteRow): DiffPosition | undefined {
  if (position === null) return undefined;
  const place = { position: storedRecord(position), lineCode: line_code };
  return commit_id === null || noteable_type === 'Commit' ? place : { ...place, commitId: commit_id };
}

/** Updates the body of a note in a thread, or resolves it individually. */
export async function updateThreadNote(
  services: Services,
  caller: SignedInActor,
  noteable: Noteable,
  id: string,
  noteId: number,
  { body, resolved }: ReplyChangeParams,
): Promise<NoteEntity | CommandsEntity> {
  const note = await requireThreadNote(services, noteable, id, noteId);
  if (resolved === undefined) return updateNote(services, caller, noteable, noteId, { body: checkBody(body ?? '') });
  if (!isResolvable(note, noteable)) throw new BadRequest('Note is not resolvable');
  await services.db.write((trx) => resolve(services, trx, caller, noteable, [note], resolved));
  return presentNote(services, noteable, await requireThreadNote(services, noteable, id, noteId));
}

export async function deleteThreadNote(
  services: Services,
  caller: SignedInActor,
  noteable: Noteable,
  id: string,
  noteId: number,
  http: Parameters<typeof deleteNote>[4],
): Promise<void> {
  await requireThreadNote(services, noteable, id, noteId);
  await deleteNote(services, caller, noteable, noteId, http);
}

async function resolve(
  services: Services,
  trx: Writer,
  caller: SignedInActor,
  noteable: Noteable,
  notes: readonly [NoteRow, ...NoteRow[]],
  resolved: boolean,
): Promise<void> {
  const [first] = notes;
  if (!mayResolve(caller, noteable, first)) throw new Forbidden();
  const ids = notes.filter((note) => isResolvable(note, noteable)).map(({ id }) => id);
  await store.setResolved(trx, ids, resolved ? caller.user.id : null, Date.now());
  await services.announce(trx, 'discussion.resolved', {
    actorId: caller.user.id,
    noteable,
    discussionId: first.discussion_id,
    resolved,
  });
}

/** Resolves a thread within the caller's transaction if the caller may do so; otherwise does nothing. */
export async function resolveIfAllowed(
  services: Services,
  trx: Writer,
  caller: SignedInActor,
  noteable: Noteable,
  id: string,
): Promise<void> {
  const [first, ...rest] = (await store.notesOfThreads(trx, [id])).get(id) ?? [];
  if (!first || !belongsToNoteable(noteable, first) || !isResolvable(first, noteable)) return;
  if (mayResolve(caller, noteable, first)) await resolve(services, trx, caller, noteable, [first, ...rest], true);
}

function mayResolve(caller: SignedInActor, { may }: Noteable, first: NoteRow): boolean {
  return may.resolve || (first.author_id === caller.user.id && may.comment);
}

/** Resolves or unresolves a thread. */
export async function resolveDiscussion(
  services: Services,
  caller: SignedInActor,
  noteable: Noteable,
  id: string,
  resolved: boolean,
): Promise<DiscussionEntity> {
  const notes = await requireThread(services, noteable, id);
  if (!isResolvable(notes[0], noteable)) throw new BadRequest('Discussion is not resolvable');
  await services.db.write((trx) => resolve(services, trx, caller, noteable, notes, resolved));
  return presentThread(services, noteable, id);
}
