import type { Services } from '../../../access/services.ts';
import { recordEvent } from '../../../namespaces/events/public.ts';
import { decodePath, patchText } from '../../../platform/git/diff/text.ts';
import type { Commit } from '../../../platform/git/objects/commit.ts';
import { BadRequest, HttpError } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pagination.ts';
import { rubyDump } from '../../../platform/http/ruby-dump.ts';
import { tooLong } from '../../../platform/http/too-long.ts';
import { keepAround, type ProjectCall, requireCommit, type SignedInProjectCall } from '../../repository/public.ts';
import { createTag } from '../../tags/public.ts';
import { diffOfCommit } from '../diff.ts';
import { shownTitle } from '../present.ts';
import { changesLine } from './diff-line.ts';
import { presentComments } from './present.ts';
import type { CommitCommentEntity } from './schema.ts';
import * as store from './store.ts';
import type { CommitCommentRow } from './tables.ts';
import { readTagCommand, type TagCommand, tagSummary } from './tag-command.ts';

export interface NewComment {
  readonly note: string;
  readonly path?: string;
  readonly line?: number;
  readonly line_type: 'new' | 'old';
}

/** What a comment that was nothing but commands is answered with. */
export interface CommandOutcome {
  readonly commands_changes: Record<string, string>;
  readonly summary: string[];
}

const longestNote = 1_000_000;

/** The comments on a commit, oldest first. */
export async function listComments(
  services: Services,
  { subject }: ProjectCall,
  sha: string,
  page: PageRequest,
): Promise<Page<CommitCommentEntity>> {
  const { oid } = await requireCommit(services, subject, sha);
  const { rows, total } = await store.listComments(services.db.read, subject.project.id, oid, page);
  return new Page(await presentComments(services, rows), total);
}

function refused(errors: Record<string, string[]>): HttpError {
  return new BadRequest(`Note ${rubyDump(errors)}`);
}

/** Adds a comment to a commit, on a line if its diff has that line; or does what it commands. */
export async function addComment(
  services: Services,
  call: SignedInProjectCall,
  sha: string,
  wanted: NewComment,
): Promise<CommitCommentEntity | CommandOutcome> {
  const commit = await requireCommit(services, call.subject, sha);
  if (wanted.note.trim() === '') throw refused({ note: ["can't be blank"] });
  const long = tooLong(wanted.note, longestNote);
  if (long !== undefined) throw refused({ note: [long] });
  const { text, command } = readTagCommand(wanted.note);
  const outcome = command && (await tagCommit(services, call, commit, command));
  if (outcome && text === '') return outcome;
  const place = await placeOf(services, call, commit, wanted);
  await keepAround(services, call.subject, commit.oid);
  const row = await saveComment(services, call, commit, { note: text, ...place });
  const [comment] = await presentComments(services, [row]);
  if (!comment) throw new Error(`comment ${row.id} was not presented`);
  return comment;
}

async function saveComment(
  { db }: Services,
  { caller, subject }: SignedInProjectCall,
  commit: Commit,
  comment: Pick<CommitCommentRow, 'note' | 'path' | 'line' | 'line_type'>,
): Promise<CommitCommentRow> {
  const author = caller.user;
  const projectId = subject.project.id;
  const at = Date.now();
  return db.write(async (trx) => {
    const row = await store.insertComment(trx, {
      ...comment,
      project_id: projectId,
      sha: commit.oid,
      author_id: author.id,
      created_at: at,
    });
    const target = { type: 'Note', id: row.id, iid: row.id, title: shownTitle(commit) } as const;
    await recordEvent(trx, { projectId, authorId: author.id, action: 'commented', audience: 'code', target, at });
    return row;
  });
}

const nowhere = { path: null, line: null, line_type: null };

async function placeOf(
  services: Services,
  call: ProjectCall,
  commit: Commit,
  { path, line, line_type }: NewComment,
): Promise<Pick<CommitCommentRow, 'path' | 'line' | 'line_type'>> {
  if (path === undefined || line === undefined) return nowhere;
  const entries = await diffOfCommit(services, call, commit);
  const file = entries.find((entry) => decodePath(entry.newPath) === path);
  return file && changesLine(patchText(file), line, line_type) ? { path, line, line_type } : nowhere;
}

async function tagCommit(
  services: Services,
  { caller, subject }: SignedInProjectCall,
  commit: Commit,
  command: TagCommand,
): Promise<CommandOutcome> {
  if (!subject.can('push_code')) return { commands_changes: {}, summary: ['Could not apply tag command.'] };
  const { name, message } = command;
  await createTag(services, caller, subject, { tag_name: name, ref: commit.oid, message }).catch((error: unknown) => {
    throw error instanceof HttpError ? refused({ validation: [problemText(error)] }) : error;
  });
  const changes = { tag_name: name, ...(message === undefined ? {} : { tag_message: message }) };
  return { commands_changes: changes, summary: [tagSummary(command)] };
}

function problemText({ body, message }: HttpError): string {
  const { message: text } = (body ?? {}) as { message?: unknown };
  return typeof text === 'string' ? text : message;
}
