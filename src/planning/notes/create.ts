import type { FastifyReply } from 'fastify';
import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { recordEvent } from '../../namespaces/events/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import { BadRequest, Forbidden, NotFound } from '../../platform/http/errors.ts';
import { type AwardEntity, awards } from '../award-emoji/public.ts';
import { executeForNote, readCommands, summaryOf } from '../quick-actions/public.ts';
import { lockTarget } from '../target.ts';
import { awardableOf } from './awards.ts';
import type { DiffPosition, Noteable } from './noteable.ts';
import { emojiReactionIn } from './reaction.ts';
import type { CommandsEntity, NewNoteParams, NoteEntity } from './schema.ts';
import { checkBody, noteValidationError, presentNote } from './service.ts';
import * as store from './store.ts';
import type { NoteRow } from './tables.ts';

/** Creation time of a note; only some callers may choose it. */
function timeOf({ may }: Noteable, created_at: number | undefined): number {
  if (created_at === undefined || !may.chooseTimes) return Date.now();
  if (created_at < 0) throw noteValidationError({ created_at: ['The created date provided is too far in the past.'] });
  return created_at;
}

function isInternal(noteable: Noteable, { internal, confidential }: NewNoteParams): boolean {
  const wanted = internal ?? confidential ?? false;
  if (wanted && !noteable.hasInternalNotes)
    throw noteValidationError({ confidential: ['can not be set for this resource'] });
  return wanted && noteable.may.internal;
}

/** The thread that a note belongs to, and the note's type in it. */
export interface Thread {
  readonly type: NoteRow['type'];
  readonly discussionId: string;
  readonly internal?: boolean;
  readonly place?: DiffPosition | undefined;
}

function placed(place: DiffPosition | undefined) {
  if (!place) return {};
  const position = JSON.stringify(place.position);
  return { position, original_position: position, line_code: place.lineCode };
}

/** The target type of the note in the activity feed. */
function eventType({ type }: NoteRow) {
  return type === null || type === 'LegacyDiffNote' ? 'Note' : type;
}

/** Inserts a note within the caller's transaction and announces it. */
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
  if (!(await lockTarget(trx, target))) throw NotFound.record();
  const note = await store.insertNote(trx, {
    noteable_type: target.type,
    noteable_id: target.id,
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
    target: { type: eventType(note), id: note.id, iid: note.id, title: noteable.title },
    at,
  });
  await services.announce(trx, 'note.changed', { action: 'create', actorId: caller.user.id, note, noteable });
  return note;
}

/**
 * Result of creating a note: the note and the changes made by its quick actions, or only those changes if it had no
 * other text.
 */
export type PostedNote =
  | { readonly note: NoteRow; readonly changes: Readonly<Record<string, unknown>> }
  | { readonly commands: CommandsEntity };

/**
 * Creates a note and executes its quick actions atomically. `within` returns the thread and runs before the insert;
 * `also` runs after it in the same transaction, so that its failure rolls everything back.
 */
export async function postNote(
  services: Services,
  caller: SignedInActor,
  noteable: Noteable,
  params: NewNoteParams,
  within?: (trx: Writer) => Promise<Thread>,
  also?: (trx: Writer, note: NoteRow | undefined) => Promise<void>,
): Promise<PostedNote> {
  if (!noteable.may.comment) throw new Forbidden();
  checkBody(params.body);
  const { commands } = noteable;
  const { body, onlyCommands, changes, messages } = commands
    ? await readCommands(params.body, commands)
    : { body: params.body, onlyCommands: false, changes: {}, messages: [] };
  if (onlyCommands && messages.length === 0) throw new BadRequest('Failed to apply commands.');
  const hasChanges = Object.keys(changes).length > 0;
  const work = async (trx: Writer) => {
    // Inserting a note locks the target itself.
    if (onlyCommands && !(await lockTarget(trx, noteable.target))) throw NotFound.record();
    const result = onlyCommands
      ? undefined
      : await addNote(services, trx, caller, noteable, { ...params, body }, await within?.(trx));
    if (commands && hasChanges) await executeForNote(commands, trx, changes);
    await also?.(trx, result);
    return result;
  };
  const note = await services.db.write(work, { together: !(hasChanges || within || also) });
  if (note) return { note, changes: { ...changes } };
  return { commands: { commands_changes: { ...changes }, summary: summaryOf(messages) } };
}

/** Commits and wiki pages have no emoji reactions, so a note on them that consists of an emoji stays a note. */
function takesReactions({ commitId, target }: Noteable): boolean {
  return commitId === undefined && target.type !== 'WikiPage::Meta';
}

/** Creates a note; one that consists of a single emoji becomes an emoji reaction. */
export async function createNote(
  services: Services,
  caller: SignedInActor,
  noteable: Noteable,
  params: NewNoteParams,
): Promise<NoteEntity | AwardEntity | CommandsEntity> {
  const reaction = takesReactions(noteable) ? emojiReactionIn(params.body) : undefined;
  if (reaction !== undefined) {
    if (!noteable.may.comment) throw new Forbidden();
    return awards.ensureAward(services, caller, awardableOf(noteable), reaction);
  }
  const result = await postNote(services, caller, noteable, params);
  return 'commands' in result ? result.commands : presentNote(services, noteable, result.note, result.changes);
}

/** Sets status 202 for a note that consisted of quick actions only; returns the response body. */
export function noteResponse<T extends object>(reply: FastifyReply, result: T): T {
  if ('summary' in result) reply.code(202);
  return result;
}
