import type { SignedInActor } from '../../../access/actor.ts';
import { countAgainstEndpointLimit } from '../../../access/limits/endpoint-limits.ts';
import type { ProjectOrGroup } from '../../../access/project-or-group.ts';
import type { Services } from '../../../access/services.ts';
import { readableGroup, readableProject } from '../../../access/subjects.ts';
import { notedCommits, readComment } from '../../../planning/commit-notes/public.ts';
import { epicsById, noteableEpic } from '../../../planning/epics/public.ts';
import { issuesById, noteableIssue } from '../../../planning/issues/public.ts';
import { discussions, findNote, type Noteable, notes } from '../../../planning/notes/public.ts';
import { findSnippet, noteableSnippet } from '../../../planning/snippets/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { Forbidden, NotFound } from '../../../platform/http/errors.ts';
import { noteableRequest, requestsById } from '../../../review/merge-requests/public.ts';
import type { ReplyKey } from '../addresses/keys.ts';
import { Refused, reasons } from './rejection.ts';

/** A note received by e-mail: its author, its text, and the callback that marks the message as processed. */
export interface MailContent {
  readonly caller: SignedInActor;
  /** Returns the text for a project or group, after uploading the attachments there. */
  readonly textFor: (place: ProjectOrGroup) => Promise<string>;
  readonly end: (trx: Writer) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Creates a note from an e-mail reply, with the same checks as the API. */
export async function commentByMail(services: Services, key: ReplyKey, content: MailContent): Promise<void> {
  if (key.type === 'Commit') return commentOnCommit(services, key, content);
  if (key.type === 'Snippet') return commentOnSnippet(services, key, content);
  if (key.type === 'Epic') return commentOnEpic(services, key, content);
  const { caller } = content;
  const { read } = services.db;
  const find = key.type === 'Issue' ? issuesById : requestsById;
  const item = (await find(read, [key.id])).get(key.id);
  if (!item) throw new NotFound();
  const subject = await readableProject(services.db, caller, item.project_id);
  const asNoteable = key.type === 'Issue' ? noteableIssue : noteableRequest;
  const noteable = await asNoteable(services, caller, subject, item.iid);
  if (!noteable.may.comment) throw new Forbidden();
  await countAgainstEndpointLimit(services, caller, { comment: true });
  await addNote(services, key, content, noteable, await content.textFor(subject));
}

async function commentOnCommit(services: Services, key: ReplyKey, content: MailContent): Promise<void> {
  const { caller, signal } = content;
  const [noted] = await notedCommits(services.db.read, [key.id]);
  if (!noted) throw new NotFound();
  const subject = await readableProject(services.db, caller, noted.project_id);
  if (!subject.can('read_code')) throw new NotFound();
  if (!subject.can('create_note')) throw new Forbidden();
  await countAgainstEndpointLimit(services, caller, { comment: true });
  const body = await content.textFor(subject);
  const read = await readComment(services, { caller, subject, signal }, noted.sha, { body });
  if ('outcome' in read) await services.db.write(content.end);
  else await addNote(services, key, content, read.noteable, read.params.body);
}

async function commentOnSnippet(services: Services, key: ReplyKey, content: MailContent): Promise<void> {
  const { caller } = content;
  const snippet = await findSnippet(services.db.read, key.id);
  if (!snippet?.project_id) throw new NotFound();
  const subject = await readableProject(services.db, caller, snippet.project_id);
  const noteable = await noteableSnippet(services, caller, subject, snippet.id);
  if (!noteable.may.comment) throw new Forbidden();
  await countAgainstEndpointLimit(services, caller, { comment: true });
  await addNote(services, key, content, noteable, await content.textFor(subject));
}

async function commentOnEpic(services: Services, key: ReplyKey, content: MailContent): Promise<void> {
  const { caller } = content;
  const epic = (await epicsById(services.db.read, [key.id])).get(key.id);
  if (!epic) throw new NotFound();
  const subject = await readableGroup(services.db, caller, epic.namespace_id);
  const noteable = await noteableEpic(services, caller, subject, epic.id);
  if (!noteable.may.comment) throw new Forbidden();
  await countAgainstEndpointLimit(services, caller, { comment: true });
  await addNote(services, key, content, noteable, await content.textFor(subject));
}

/** Adds the note to the discussion of the note that the e-mail was about, if any. */
async function addNote(
  services: Services,
  key: ReplyKey,
  content: MailContent,
  noteable: Noteable,
  body: string,
): Promise<void> {
  const { caller, end } = content;
  if (key.noteId === null) {
    await notes.postNote(services, caller, noteable, { body }, undefined, end);
    return;
  }
  const note = await findNote(services.db.read, key.noteId);
  // If the original note was deleted, reject the reply: it may answer an internal note and must not become public.
  if (!note) throw new Refused(reasons.gone);
  if (note.type === null && (key.type === 'Commit' || key.type === 'Snippet'))
    await notes.postNote(services, caller, noteable, { body }, undefined, end);
  else await discussions.replyTo(services, caller, noteable, note.discussion_id, { body }, end);
}
