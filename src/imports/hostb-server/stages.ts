import { hash } from 'node:crypto';
import type { Writer } from '../../platform/database/database.ts';
import { importedRequests } from '../../review/merge-requests/public.ts';
import {
  addImportedNote,
  ensureBranch,
  importedText,
  importLfsObjects,
  importMergeRequest,
  importRepository,
  type Noteable,
  noteOnLine,
  readableRecords,
  UserMapper,
} from '../content/public.ts';
import type { HostClient } from '../host-client/public.ts';
import type { ImportRun, ImportSource } from '../project-imports/public.ts';
import { repositoryResource, type ServerOptions, serverClient, serverPages } from './api.ts';
import { lists, type ServerActivity, type ServerComment, type ServerPull, type ServerUser } from './records.ts';

export const hostbServerSource: ImportSource = {
  type: 'bitbucket_server',
  stages: [
    { name: 'repository', run: importServerRepository },
    { name: 'pull_requests', run: importPulls },
    { name: 'notes', run: importActivities },
    { name: 'lfs_objects', run: importLargeFiles },
  ],
};

const secretsOf = ({ username, token }: ServerOptions) => ({ username, password: token });

async function importServerRepository(run: ImportRun): Promise<void> {
  const options = run.options<ServerOptions>();
  const refspecs = ['+refs/pull-requests/*/from:refs/merge-requests/*/head'];
  await importRepository(run, { url: options.cloneUrl, secrets: secretsOf(options), refspecs });
}

async function importLargeFiles(run: ImportRun): Promise<void> {
  const options = run.options<ServerOptions>();
  await importLfsObjects(run, options.cloneUrl, secretsOf(options));
}

function contextOf(run: ImportRun) {
  const options = run.options<ServerOptions>();
  const people = new UserMapper(run, new URL(options.url).origin);
  const client = serverClient(run.services, options);
  const idOf = (user: ServerUser | null | undefined) => {
    const username = user?.slug ?? user?.name;
    return people.idOf(username ? { id: username, username, name: user?.displayName ?? null } : null);
  };
  return { client, idOf, place: repositoryResource(options) };
}

type Context = ReturnType<typeof contextOf>;

const states = new Map<string, 'opened' | 'merged'>([
  ['OPEN', 'opened'],
  ['MERGED', 'merged'],
]);
const branchOf = (ref: string) => ref.replace(/^refs\/heads\//, '');

async function importPulls(run: ImportRun): Promise<void> {
  const context = contextOf(run);
  const { client, place } = context;
  const first = `${place}/pull-requests?state=ALL&order=OLDEST`;
  for await (const pulls of serverPages(run, client, lists.pulls, first, 'pulls')) {
    for (const pull of pulls) await importPull(run, context, pull);
  }
}

async function importPull(run: ImportRun, { idOf }: Context, pull: ServerPull): Promise<void> {
  const state = states.get(pull.state) ?? 'closed';
  const sourceBranch = branchOf(pull.fromRef.id);
  if (state === 'opened') await ensureBranch(run, sourceBranch, pull.fromRef.latestCommit);
  const reviewers = [];
  for (const { user } of pull.reviewers ?? []) reviewers.push(await idOf(user));
  await importMergeRequest(run, {
    number: pull.id,
    title: pull.title,
    description: importedText(pull.description),
    state,
    sourceBranch,
    targetBranch: branchOf(pull.toRef.id),
    headSha: pull.fromRef.latestCommit,
    startSha: pull.toRef.latestCommit,
    closedAt: state === 'closed' ? pull.updatedDate : null,
    mergedAt: state === 'merged' ? pull.updatedDate : null,
    authorId: await idOf(pull.author.user),
    assigneeIds: [],
    reviewerIds: reviewers,
    labelIds: [],
    milestoneId: null,
    createdAt: pull.createdDate,
    updatedAt: pull.updatedDate,
  });
}

async function importActivities(run: ImportRun): Promise<void> {
  const context = contextOf(run);
  const { client, place } = context;
  for await (const { sourceId, targetId } of run.imported('pull_request', 'requests')) {
    const target: Noteable = { type: 'MergeRequest', id: targetId };
    const activities = `${place}/pull-requests/${sourceId}/activities`;
    for await (const page of serverPages(run, client, lists.activities, activities)) {
      for (const activity of page) await importActivity(run, context, target, activity);
    }
  }
}

async function importActivity(
  run: ImportRun,
  context: Context,
  target: Noteable,
  activity: ServerActivity,
): Promise<void> {
  const { action, commit, createdDate: at } = activity;
  if (action === 'COMMENTED' && activity.comment) {
    return importThread(run, context, target, activity, activity.comment);
  }
  const known: Record<string, (trx: Writer, userId: number) => Promise<void>> = {
    MERGED: (trx, userId) =>
      importedRequests.updateImportedRequest(trx, target.id, {
        merge_user_id: userId,
        merged_at: commit?.committerTimestamp ?? at,
        ...(commit ? { merge_commit_sha: commit.id } : {}),
      }),
    DECLINED: (trx, userId) =>
      importedRequests.updateImportedRequest(trx, target.id, { closed_by_id: userId, closed_at: at }),
    APPROVED: async (trx, userId) => {
      await importedRequests.addImportedApproval(trx, target.id, userId, at);
      await importedRequests.addImportedReviewer(trx, target.id, userId, { state: 'approved', at });
      const note = { authorId: userId, body: 'approved this merge request', createdAt: at, system: true };
      await addImportedNote(run, trx, target, note);
    },
  };
  const write = Object.hasOwn(known, action) ? known[action] : undefined;
  if (!write) return;
  const userId = await context.idOf(action === 'MERGED' ? (commit?.committer ?? activity.user) : activity.user);
  await run.once('activity', activity.id, async (trx) => {
    await write(trx, userId);
    return null;
  });
}

/** A comment with the comment it replies to, if any. */
interface ThreadComment {
  readonly comment: ServerComment;
  readonly parent?: ServerComment;
}

/** A comment with its nested replies in order. Unreadable replies are skipped. */
async function flattened(
  run: ImportRun,
  client: HostClient,
  place: string,
  first: ServerComment,
): Promise<ThreadComment[]> {
  const comments: ThreadComment[] = [];
  const open: ThreadComment[] = [{ comment: first }];
  for (let next = open.pop(); next; next = open.pop()) {
    comments.push(next);
    const { comment: parent } = next;
    const answers = await readableRecords(run, client, lists.comments, parent.comments ?? [], `${place}/${parent.id}`);
    for (const comment of answers.reverse()) open.push({ comment, parent });
  }
  return comments;
}

/** A reply starts with a quote of its parent. */
function bodyOf({ comment, parent }: ThreadComment): string {
  const quoted = parent ? `> ${parent.text.slice(0, 80)}${parent.text.length > 80 ? '...' : ''}\n\n` : '';
  return quoted + importedText(comment.text);
}

async function importThread(
  run: ImportRun,
  { client, idOf, place: repository }: Context,
  target: Noteable,
  activity: ServerActivity,
  first: ServerComment,
): Promise<void> {
  const { commentAnchor: anchor } = activity;
  const lines = anchor && linesOf(activity, first.id);
  const place = anchor && {
    path: anchor.path,
    oldPath: anchor.srcPath ?? anchor.path,
    oldLine: lines?.oldLine ?? null,
    newLine: lines?.newLine ?? null,
    base: anchor.fromHash ?? null,
    head: anchor.toHash ?? null,
  };
  const discussionId = hash('sha1', `${run.project.id} ${run.type} ${first.id}`, 'hex');
  for (const item of await flattened(run, client, `${repository}/comments`, first)) {
    const { comment } = item;
    const body = bodyOf(item);
    const authorId = await idOf(comment.author);
    const inThread = place ? { discussionId, ...noteOnLine(place, body) } : { body };
    await run.once('note', comment.id, async (trx) => {
      const note = { authorId, createdAt: comment.createdDate, ...inThread };
      return (await addImportedNote(run, trx, target, note)).id;
    });
  }
}

/** Line of a comment: the one that lists its ID. */
function linesOf({ diff, commentAnchor }: ServerActivity, commentId: number) {
  const segments = (diff?.hunks ?? []).flatMap((hunk) => hunk.segments ?? []);
  const line = segments.flatMap(({ lines }) => lines ?? []).find(({ commentIds }) => commentIds?.includes(commentId));
  if (!line) return undefined;
  const type = commentAnchor?.lineType;
  return {
    oldLine: type === 'ADDED' ? null : line.source,
    newLine: type === 'REMOVED' ? null : line.destination,
  };
}
