import type { Services } from '../../../access/services.ts';
import { diffOfCommit } from '../../../code/commits/public.ts';
import type { ProjectCall, SignedInProjectCall } from '../../../code/repository/public.ts';
import { decodePath, patchText } from '../../../platform/git/diff/text.ts';
import type { Commit } from '../../../platform/git/objects/commit.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { discussions, newDiscussionId, notes } from '../../notes/public.ts';
import { type CommandOutcome, readComment } from '../comment.ts';
import { noteableCommit } from '../noteable.ts';
import { presentComments } from './present.ts';
import type { CommitCommentEntity } from './schema.ts';

export interface NewComment {
  readonly note: string;
  readonly path?: string;
  readonly line?: number;
  readonly line_type: 'new' | 'old';
}

const oldestFirst = { sort: 'asc', order_by: 'created_at', activity_filter: 'all_notes' } as const;

/** Returns a page of all notes on a commit, in threads or not, oldest first. */
export async function listComments(
  services: Services,
  { caller, subject }: ProjectCall,
  sha: string,
  page: PageRequest,
): Promise<Page<CommitCommentEntity>> {
  const { noteable } = await noteableCommit(services, caller, subject, sha);
  const { items, total } = await notes.noteRows(services, noteable, oldestFirst, page);
  return new Page(await presentComments(services, items), total);
}

/** Adds a comment to a commit, on a line if its diff contains that line, or executes its quick action. */
export async function addComment(
  services: Services,
  call: SignedInProjectCall,
  sha: string,
  { note: body, ...wanted }: NewComment,
): Promise<CommitCommentEntity | CommandOutcome> {
  const read = await readComment(services, call, sha, { body });
  if ('outcome' in read) return read.outcome;
  const { commit, noteable, params } = read;
  const place = await placeOf(services, call, commit, wanted);
  const type = place ? ('LegacyDiffNote' as const) : null;
  const thread = { type, discussionId: newDiscussionId(), place };
  const posted = await notes.postNote(services, call.caller, noteable, params, async () => thread);
  if ('commands' in posted) throw new Error('commits do not support these quick actions');
  const [comment] = await presentComments(services, [posted.note]);
  if (!comment) throw new Error(`note ${posted.note.id} could not be presented`);
  return comment;
}

/** Position of a comment on a path and line; undefined unless the commit changed that line. */
async function placeOf(
  services: Services,
  call: ProjectCall,
  commit: Commit,
  { path, line, line_type }: Omit<NewComment, 'note'>,
): Promise<discussions.DiffPosition | undefined> {
  if (path === undefined || line === undefined) return undefined;
  const entries = await diffOfCommit(services, call, commit);
  const file = entries.find((entry) => decodePath(entry.newPath) === path);
  const added = line_type === 'new';
  const lines = { oldLine: added ? undefined : line, newLine: added ? line : undefined };
  const found = file && discussions.findLinePair(patchText(file), lines);
  if (!file || !found) return undefined;
  const position = {
    old_path: decodePath(file.oldPath),
    new_path: path,
    position_type: 'text',
    old_line: lines.oldLine ?? null,
    new_line: lines.newLine ?? null,
  };
  return { position, lineCode: discussions.lineCode(path, found) };
}
