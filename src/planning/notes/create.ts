import type { FastifyReply } from 'fastify';
import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { recordEvent } from '../../namespaces/events/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import { BadRequest, Forbidden, NotFound } from '../../platform/http/errors.ts';
import { type AwardEntity, awards } from '../award-emoji/public.ts';
import { carryOutForNote, readCommands, summaryOf } from '../quick-actions/public.ts';
import { keepTarget } from '../target.ts';
import { awardableOf } from './awards.ts';
import type { DiffPosition, Noteable } from './noteable.ts';
import { reactionIn } from './reaction.ts';
import type { CommandsEntity, NewNoteParams, NoteEntity } from './schema.ts';
import { checkBody, presentNote, refused } from './service.ts';
import * as store from './store.ts';
import type { NoteRow } from './tables.ts';

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
  readonly place?: DiffPosition | undefined;
}

function placed(place: DiffPosition | undefined) {
  if (!place) return {};
  const position = JSON.stringify(place.position);
  return { position, original_position: position, line_code: place.lineCode };
}

/** What the feed of events calls it. */
function eventType({ type }: NoteRow) {
  return type === null || type === 'LegacyDiffNote' ? 'Note' : type;
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
  if (!(await keepTarget(trx, target))) throw NotFound.record();
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

/** What a comment became: a note, with what its commands changed, or nothing but that where it had nothing else. */
export type Said =
  | { readonly note: NoteRow; readonly changes: Readonly<Record<string, unknown>> }
  | { readonly commands: CommandsEntity };

/**
 * Writes a comment and carries out the quick actions in it, all or nothing. `within` says into which thread it goes, and
 * does beforehand what belongs to that; `also` does afterwards what is to be undone with it, where it fails.
 */
export async function say(
  services: Services,
  caller: SignedInActor,
  noteable: Noteable,
  params: NewNoteParams,
  within?: (trx: Writer) => Promise<Thread>,
  also?: (trx: Writer, note: NoteRow | undefined) => Promise<void>,
): Promise<Said> {
  if (!noteable.may.comment) throw new Forbidden();
  checkBody(params.body);
  const { commands } = noteable;
  const { body, onlyCommands, changes, messages } = commands
    ? await readCommands(params.body, commands)
    : { body: params.body, onlyCommands: false, changes: {}, messages: [] };
  if (onlyCommands && messages.length === 0) throw new BadRequest('Failed to apply commands.');
  const hasChanges = Object.keys(changes).length > 0;
  const work = async (trx: Writer) => {
    // A comment sees to that itself.
    if (onlyCommands && !(await keepTarget(trx, noteable.target))) throw NotFound.record();
    const said = onlyCommands
      ? undefined
      : await addNote(services, trx, caller, noteable, { ...params, body }, await within?.(trx));
    if (commands && hasChanges) await carryOutForNote(commands, trx, changes);
    await also?.(trx, said);
    return said;
  };
  const note = await services.db.write(work, { together: !(hasChanges || within || also) });
  if (note) return { note, changes: { ...changes } };
  return { commands: { commands_changes: { ...changes }, summary: summaryOf(messages) } };
}

/** Commits and pages of wikis take no reactions: what is said there is a comment, whatever it is. */
function takesReactions({ commitId, target }: Noteable): boolean {
  return commitId === undefined && target.type !== 'WikiPage::Meta';
}

/** Comments on something; a comment that is nothing but an emoji becomes a reaction to it. */
export async function createNote(
  services: Services,
  caller: SignedInActor,
  noteable: Noteable,
  params: NewNoteParams,
): Promise<NoteEntity | AwardEntity | CommandsEntity> {
  const reaction = takesReactions(noteable) ? reactionIn(params.body) : undefined;
  if (reaction !== undefined) {
    if (!noteable.may.comment) throw new Forbidden();
    return awards.awardOnce(services, caller, awardableOf(noteable), reaction);
  }
  const said = await say(services, caller, noteable, params);
  return 'commands' in said ? said.commands : presentNote(services, noteable, said.note, said.changes);
}

/** The answer to a comment, under the status that is its own where it was nothing but commands. */
export function answered<T extends object>(reply: FastifyReply, said: T): T {
  if ('summary' in said) reply.code(202);
  return said;
}
