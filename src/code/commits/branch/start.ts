import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import type { Commit } from '../../../platform/git/objects/commit.ts';
import { importCommit } from '../../../platform/git/objects/import-commit.ts';
import { isBranchName, isObjectId } from '../../../platform/git/refs/refname.ts';
import type { Repository } from '../../../platform/git/repository.ts';
import { BadRequest } from '../../../platform/http/errors.ts';
import { repositoryOf } from '../../repository/public.ts';

/** The branch to commit to, and what to start from. */
export interface Target {
  readonly branch: string;
  readonly startBranch?: string;
  readonly startSha?: string;
  /** The project of `startBranch` and `startSha`, if it is another one. */
  readonly startSubject?: ProjectSubject;
  /** Whether the history of `startSubject` has already been imported. */
  readonly imported?: boolean;
  /** Allows an existing branch to be overwritten. */
  readonly force?: boolean;
}

/** The resolved target. */
export interface CommitStart {
  /** The parent of the new commit; null in an empty repository. */
  readonly parent: Commit | null;
  /** The current tip of the branch; null if it does not exist. */
  readonly tip: string | null;
}

/** Error message when there is no commit to start from. */
export const noBranch = 'You can only create or edit files when you are on a branch';

/** Resolves the start of a commit. Errors are checked in the documented order. */
export async function findStart(services: Services, subject: ProjectSubject, target: Target): Promise<CommitStart> {
  const { git } = services;
  const repo = repositoryOf(services, subject);
  const from = target.startSubject ? repositoryOf(services, target.startSubject) : repo;
  const { branch, startSha } = target;
  const startBranch = startSha === undefined ? (target.startBranch ?? branch) : undefined;
  const other = startBranch !== branch || target.startSubject !== undefined;
  const first =
    startSha === undefined
      ? await branchTip(services, from, startBranch ?? branch)
      : await shaTip(services, from, startSha);
  if (first === null && !(await isEmpty(services, target.startSubject ?? subject))) {
    throw BadRequest.plain(noBranch);
  }
  const tip = other ? await branchTip(services, repo, branch) : first;
  if (other && tip !== null && !target.force) {
    throw BadRequest.plain(
      `A branch called '${branch}' already exists. Switch to that branch in order to make changes`,
    );
  }
  if (tip === null && !isBranchName(branch))
    throw BadRequest.plain(branchNotCreatedMessage(branch, 'Branch name is invalid'));
  if (first !== null && from !== repo && !target.imported) await importCommit(from, repo, first);
  return { parent: first === null ? null : await git.objects(repo).commit(first), tip };
}

/** Error message for a branch that cannot be created. */
export function branchNotCreatedMessage(branch: string, reason: string): string {
  return `Something went wrong when we tried to create '${branch}' for you: ${reason}`;
}

async function branchTip({ git }: Services, repo: Repository, branch: string): Promise<string | null> {
  return isBranchName(branch) ? git.objects(repo).commitId(`refs/heads/${branch}`) : null;
}

async function shaTip({ git }: Services, repo: Repository, sha: string): Promise<string> {
  const id = sha.toLowerCase();
  if (!isObjectId(id)) throw BadRequest.plain(`Invalid start_sha '${sha}'`);
  const commit = await git.objects(repo).commit(id);
  if (!commit) throw BadRequest.plain(`Cannot find start_sha '${sha}'`);
  return id;
}

// The row is only a hint: another request may have created the first commit since it was read.
async function isEmpty(services: Services, subject: ProjectSubject): Promise<boolean> {
  if (subject.project.empty_repo !== 1) return false;
  return (await services.git.listRefs(repositoryOf(services, subject), 'refs/heads/')).length === 0;
}
