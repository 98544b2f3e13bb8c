import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { ensureRepository, isBeingCopied } from '../../../namespaces/projects/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import type { Git } from '../../../platform/git/git.ts';
import { lastCommitOf } from '../../../platform/git/history/path-history.ts';
import { createCommit } from '../../../platform/git/objects/commit-write.ts';
import type { Identity } from '../../../platform/git/objects/identity.ts';
import { type ObjectWriter, UnsoundObjectError } from '../../../platform/git/objects/writer.ts';
import type { Repository } from '../../../platform/git/repository.ts';
import { isCheckedByGit } from '../../../platform/git/trees/path.ts';
import { BadRequest } from '../../../platform/http/errors.ts';
import { committerOf, repositoryOf } from '../../repository/public.ts';
import { asBadRequest, moveBranch } from '../branch/move.ts';
import { serializeBranchWrites } from '../branch/queue.ts';
import { type CommitStart, findStart, noBranch, type Target } from '../branch/start.ts';
import type { CommitWithStats } from '../detail.ts';
import { statsOf } from '../stats.ts';
import type { FileAction } from './actions.ts';
import { applyActions, type PreparedAction, prepareActions } from './apply.ts';
import { LargeFiles } from './large-files.ts';

/** A commit that changes files. */
export interface FileCommit extends Target {
  readonly message: string;
  readonly actions: readonly FileAction[];
  readonly authorName?: string;
  readonly authorEmail?: string;
  /** Error message for an action whose file has changed meanwhile. */
  readonly staleText?: (action: FileAction) => string;
  /** Error message for a commit without changes; if absent, empty commits are allowed. */
  readonly unchangedText?: string;
  readonly stats?: boolean;
  /** Runs in a transaction before the branch is updated. If it throws, the branch is not updated. */
  readonly recordedWith?: (trx: Writer, sha: string) => Promise<void>;
}

/** The author of a commit and the target project. */
export interface CommitCall {
  readonly caller: SignedInActor;
  readonly subject: ProjectSubject;
}

/** Commits all actions to a branch atomically. The caller has checked the push access. */
export async function commitFiles(
  services: Services,
  { caller, subject }: CommitCall,
  fileCommit: FileCommit,
): Promise<CommitWithStats> {
  const { git } = services;
  if (subject.project.empty_repo === 1) {
    // A commit before the copy of the fork source arrives would be lost, or block the copy.
    if (isBeingCopied(subject.project)) throw BadRequest.plain(noBranch);
    await ensureRepository(services, subject.project);
  }
  const repo = repositoryOf(services, subject);
  const { parent } = await findStart(services, subject, fileCommit);
  const writer = git.writer(repo);
  try {
    // Contents may be large, so they are written before taking the branch lock, which is then held for milliseconds.
    const largeFiles = new LargeFiles(services, subject, git.objects(repo), parent?.tree ?? null);
    const actions = await prepareActions(fileCommit.actions, writer, largeFiles);
    return await serializeBranchWrites(git, `${subject.project.id}:${fileCommit.branch}`, () =>
      commitPrepared(services, { caller, subject }, { ...fileCommit, imported: true }, actions, writer),
    ).catch(asBadRequest);
  } finally {
    await writer.discard();
  }
}

async function commitPrepared(
  services: Services,
  { caller, subject }: CommitCall,
  fileCommit: FileCommit,
  actions: readonly PreparedAction[],
  writer: ObjectWriter,
): Promise<CommitWithStats> {
  const { git } = services;
  const repo = repositoryOf(services, subject);
  const start = await findStart(services, subject, fileCommit);
  await checkStale(services, subject, fileCommit, start, actions);
  const editor = await git.editTree(repo, start.parent?.tree ?? null);
  await applyActions(editor, actions);
  const tree = await editor.write(writer);
  if (fileCommit.unchangedText !== undefined && tree === start.parent?.tree)
    throw BadRequest.plain(fileCommit.unchangedText);
  const committer = committerOf(services, caller.user);
  const oid = await createCommit(writer, {
    tree,
    parents: start.parent ? [start.parent.oid] : [],
    author: authorOf(committer, fileCommit),
    committer,
    message: fileCommit.message,
  });
  await writer.flush({ checked: actions.some(({ path }) => isCheckedByGit(path)) }).catch(refuseUnsound);
  const { recordedWith } = fileCommit;
  const change = {
    branch: fileCommit.branch,
    old: start.tip,
    new: oid,
    recordedWith: recordedWith && ((trx: Writer) => recordedWith(trx, oid)),
  };
  const [stats] = await Promise.all([
    fileCommit.stats ? statsOf(git.objects(repo), oid) : undefined,
    moveBranch(services, { caller, subject }, change),
  ]);
  const commit = await git.objects(repo).commit(oid);
  if (!commit) throw new Error(`commit ${oid} vanished`);
  return { commit, stats };
}

/** Rejects objects that a push would be rejected for, too. */
function refuseUnsound(error: unknown): never {
  throw error instanceof UnsoundObjectError ? BadRequest.plain(`The commit is rejected: ${error.message}`) : error;
}

async function checkStale(
  { git }: Services,
  subject: ProjectSubject,
  fileCommit: FileCommit,
  { parent }: CommitStart,
  actions: readonly PreparedAction[],
): Promise<void> {
  if (!parent || !fileCommit.staleText) return;
  const stale = await findStale(git, git.repository(subject.project.id), parent.oid, actions);
  if (stale) throw BadRequest.plain(fileCommit.staleText(stale));
}

function authorOf(committer: Identity, { authorName, authorEmail }: FileCommit): Identity {
  return { ...committer, name: authorName ?? committer.name, email: authorEmail ?? committer.email };
}

/**
 * Returns the first action whose file was changed since the commit known to the caller, i.e. its last commit is a
 * different one now. If either commit is unknown, the file does not count as changed.
 */
async function findStale(
  git: Git,
  repo: Repository,
  parent: string,
  actions: readonly PreparedAction[],
): Promise<PreparedAction | undefined> {
  const objects = git.objects(repo);
  for (const action of actions) {
    if (action.action === 'create' || !action.lastCommitId) continue;
    const path = action.previousPath ?? action.path;
    const seen = await git.resolve(repo, action.lastCommitId);
    if (!seen) continue;
    const [now, then] = await Promise.all([
      lastCommitOf(objects, parent, path),
      lastCommitOf(objects, seen.commit, path),
    ]);
    if (now !== null && then !== null && now !== then) return action;
  }
  return undefined;
}
