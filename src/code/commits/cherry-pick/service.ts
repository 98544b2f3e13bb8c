import type { Services } from '../../../access/services.ts';
import { type PickResult, pickTree, revertTree } from '../../../platform/git/diff/merge.ts';
import type { Commit } from '../../../platform/git/objects/commit.ts';
import { createCommit } from '../../../platform/git/objects/commit-write.ts';
import { isBranchName } from '../../../platform/git/refs/refname.ts';
import { EMPTY_TREE } from '../../../platform/git/trees/tree.ts';
import { BadRequest, HttpError, NotFound } from '../../../platform/http/errors.ts';
import {
  committerOf,
  encodePath,
  type ProjectCall,
  repositoryOf,
  requireCommit,
  runExpensive,
  type SignedInProjectCall,
} from '../../repository/public.ts';
import { BranchNotMoved, moveBranch } from '../branch/move.ts';
import { requirePush } from '../branch/push-access.ts';
import { serializeBranchWrites } from '../branch/queue.ts';
import { type MergedRequest, mergedRequestOf } from '../merge-requests.ts';
import { cherryPickMessage, revertMessage } from './messages.ts';

/** The commit to cherry-pick or revert, and the target branch. */
export interface CherryPickQuery {
  readonly sha: string;
  readonly branch: string;
  readonly dry_run: boolean;
  readonly message?: string;
}

type Kind = 'cherry-pick' | 'revert';

const automatic =
  "Can't perform this action automatically. It may have already been done, or a more recent commit may have updated " +
  'some of this content. Please perform this action locally.';

/** Cherry-picks or reverts a commit on a branch. Returns null for a dry run. */
export async function cherryPick(
  services: Services,
  call: SignedInProjectCall,
  kind: Kind,
  query: CherryPickQuery,
): Promise<Commit | null> {
  const { subject } = call;
  await requirePush(services, call, query.branch);
  const commit = await requireCommit(services, subject, query.sha);
  if (!isBranchName(query.branch)) throw BadRequest.plain('The branch refname is invalid');
  const picked = { ...query, kind, commit, merged: await mergedRequestOf(services, call, commit) };
  const branch = `${subject.project.id}:${query.branch}`;
  return serializeBranchWrites(services.git, branch, () => pickOnto(services, call, picked)).catch((error: unknown) => {
    if (!(error instanceof BranchNotMoved)) throw error;
    throw failure(picked, error.raced ? 'branch diverged' : error.message, null);
  });
}

/** A query with its resolved commit. */
interface Picked extends CherryPickQuery {
  readonly kind: Kind;
  readonly commit: Commit;
  readonly merged: MergedRequest | undefined;
}

async function pickOnto(services: Services, call: SignedInProjectCall, query: Picked): Promise<Commit | null> {
  const { kind, commit } = query;
  const objects = services.git.objects(repositoryOf(services, call.subject));
  const tip = await objects.commitId(`refs/heads/${query.branch}`);
  const onto = tip === null ? null : await objects.commit(tip);
  if (!onto) throw new NotFound('Branch');
  const result = await runExpensive(services, call, () =>
    changedTree(services, call, kind, commit, onto, query.dry_run),
  );
  if (result.status !== 'clean') throw failure(query, automatic, result.status);
  return query.dry_run ? null : commitTree(services, call, query, { onto, tree: result.tree });
}

/** Merge commits are picked relative to their first parent. */
async function changedTree(
  services: Services,
  { subject, signal }: ProjectCall,
  kind: Kind,
  commit: Commit,
  onto: Commit,
  dryRun: boolean,
): Promise<PickResult> {
  const repo = repositoryOf(services, subject);
  const [parent] = commit.parents;
  const before = parent === undefined ? null : await services.git.objects(repo).commit(parent);
  const trees = { base: before?.tree ?? EMPTY_TREE, change: commit.tree, onto: onto.tree };
  return (kind === 'revert' ? revertTree : pickTree)(repo, trees, { dryRun, signal });
}

async function commitTree(
  services: Services,
  { caller, subject }: SignedInProjectCall,
  query: Picked,
  { onto, tree }: { readonly onto: Commit; readonly tree: string },
): Promise<Commit> {
  const { kind, commit, merged } = query;
  const repo = repositoryOf(services, subject);
  const author = committerOf(services, caller.user);
  const message =
    kind === 'revert' ? revertMessage(commit, merged) : query.message || cherryPickMessage(commit, merged);
  const writer = services.git.writer(repo);
  const oid = await createCommit(writer, { tree, parents: [onto.oid], author, committer: author, message });
  await writer.flush();
  const move = { branch: query.branch, old: onto.oid, new: oid };
  await moveBranch(services, { caller, subject }, move);
  if (kind === 'cherry-pick' && merged) {
    const picked = {
      requestId: merged.id,
      actorId: caller.user.id,
      branch: query.branch,
      address: `/${subject.fullPath}/-/tree/${encodePath(query.branch)}`,
      sha: oid,
    };
    await services.db.write((trx) => services.announce(trx, 'merge-request.picked', picked));
  }
  const made = await services.git.objects(repo).commit(oid);
  if (!made) throw new Error(`commit ${oid} vanished`);
  return made;
}

function failure(query: Picked, reason: string, code: 'conflict' | 'empty' | null): HttpError {
  const label = query.merged ? 'Merge request' : 'Commit';
  const body = { message: `${label} ${query.kind} failed: ${reason}`, error_code: code };
  return new HttpError(400, query.dry_run ? { ...body, dry_run: 'error' } : body);
}
