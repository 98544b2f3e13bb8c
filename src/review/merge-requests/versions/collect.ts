import { diffLimits } from '../../../access/application-settings/effective.ts';
import type { Services } from '../../../access/services.ts';
import { generatedIn } from '../../../code/repository/public.ts';
import type { LimitedDiff } from '../../../platform/git/diff/diff.ts';
import type { DiffLimits } from '../../../platform/git/diff/limits.ts';
import { mergeBase } from '../../../platform/git/history/ancestry.ts';
import { nearMergeBase } from '../../../platform/git/history/near-merge-base.ts';
import { listCommitIds } from '../../../platform/git/history/walk.ts';
import { importCommit } from '../../../platform/git/objects/import-commit.ts';
import type { Objects } from '../../../platform/git/objects/objects.ts';
import { GitError } from '../../../platform/git/process/errors.ts';
import { isBranchName } from '../../../platform/git/refs/refname.ts';
import { type Repository, repositoryExists } from '../../../platform/git/repository.ts';
import type { MergeRequestRow } from '../tables.ts';

/** Branches of a merge request. */
export type Branches = Pick<MergeRequestRow, 'project_id' | 'source_project_id' | 'source_branch' | 'target_branch'>;

/** Current tips of the branches; null for a missing branch. */
export interface Tips {
  readonly source: string | null;
  readonly target: string | null;
}

/** Content of a version. */
export interface VersionContent {
  readonly head: string;
  readonly base: string;
  readonly start: string;
  /** Newest first, up to a limit. */
  readonly commits: readonly string[];
  readonly files: string;
  readonly state: 'collected' | 'empty' | 'overflow';
  /** Null if nothing differs, or too much. */
  readonly patchId: string | null;
}

/** Maximum number of commits stored per version, for finding merge requests by commit. */
const maxCommits = 10_000;

export async function tipOf({ git }: Services, projectId: number | null, branch: string): Promise<string | null> {
  if (projectId === null || !isBranchName(branch)) return null;
  const repo = git.repository(projectId);
  if (!(await repositoryExists(repo))) return null;
  return git.objects(repo).commitId(`refs/heads/${branch}`);
}

export async function tipsOf(services: Services, branches: Branches): Promise<Tips> {
  const [source, target] = await Promise.all([
    tipOf(services, branches.source_project_id, branches.source_branch),
    tipOf(services, branches.project_id, branches.target_branch),
  ]);
  return { source, target };
}

/** The best common ancestor of two commits; undefined for unrelated histories. */
export async function commonAncestor(objects: Objects, one: string, two: string): Promise<string | undefined> {
  const found = await objects.derived(
    'merge-base',
    `${one} ${two}`,
    () => 100,
    async () => {
      const near = await nearMergeBase(objects, one, two);
      return near === undefined ? ((await mergeBase(objects.repo, [one, two])) ?? null) : near;
    },
  );
  return found ?? undefined;
}

const entryBytes = 600;

/** Limits for callers who request all changes: more than is ever displayed, but bounded by memory. */
const maxOfAll: DiffLimits = { patchBytes: 15 * 1024 * 1024, files: 3000, lines: 1_000_000 };

/** The diff between two commits without the display limits; too large to be cached. */
export async function allDifferences(
  services: Services,
  projectId: number,
  from: string,
  to: string,
  within: { readonly signal?: AbortSignal } = {},
): Promise<LimitedDiff> {
  const objects = services.git.objects(services.git.repository(projectId));
  const isGenerated = await generatedIn(objects, to);
  return services.git.diff(objects.repo, { from, to }, { expanded: true, limits: maxOfAll, isGenerated }, within);
}

/** The diff between two commits within the display limits; cached. */
export async function differences(
  services: Services,
  projectId: number,
  from: string,
  to: string,
  options: { readonly signal?: AbortSignal; readonly expanded?: boolean } = {},
): Promise<LimitedDiff> {
  const objects = services.git.objects(services.git.repository(projectId));
  const { limits, key } = diffLimits(await services.settings.read());
  const { expanded = false, ...within } = options;
  const size = ({ entries }: LimitedDiff) =>
    entries.reduce((sum, entry) => sum + entry.patch.length + entryBytes, entryBytes);
  return objects.derived(expanded ? 'expanded-diff' : 'diff', `${from} ${to} ${key}`, size, async () => {
    const isGenerated = await generatedIn(objects, to);
    return services.git.diff(objects.repo, { from, to }, { expanded, limits, isGenerated }, within);
  });
}

/** Imports the head from a fork into the target project. */
export async function importHead(services: Services, branches: Branches, head: string): Promise<void> {
  const { git } = services;
  if (branches.source_project_id === null || branches.source_project_id === branches.project_id) return;
  const target = git.repository(branches.project_id);
  if ((await git.objects(target).commit(head)) !== null) return;
  await importCommit(git.repository(branches.source_project_id), target, head);
}

const patchIdTimeoutMs = 10_000;

/** Null if it takes too long, like a single file of hundreds of megabytes. */
async function patchIdOf({ git }: Services, repo: Repository, from: string, to: string): Promise<string | null> {
  try {
    return (await git.patchId(repo, { from, to }, { timeoutMs: patchIdTimeoutMs })) ?? null;
  } catch (error) {
    if (error instanceof GitError && error.timedOut) return null;
    throw error;
  }
}

/** Computes the content of a version between the current tips; undefined if a branch is missing. */
export async function collectVersion(
  services: Services,
  branches: Branches,
  tips: Tips,
): Promise<VersionContent | undefined> {
  const { source: head, target: start } = tips;
  if (head === null || start === null) return undefined;
  await importHead(services, branches, head);
  const objects = services.git.objects(services.git.repository(branches.project_id));
  const base = (await commonAncestor(objects, start, head)) ?? start;
  const commits = await listCommitIds(objects, { tips: [head], exclude: [start], limit: maxCommits });
  if (base === head) return { head, base, start, commits, files: '0', state: 'empty', patchId: null };
  const { entries, overflow } = await differences(services, branches.project_id, base, head);
  const files = `${entries.length}${overflow ? '+' : ''}`;
  const state = overflow ? 'overflow' : entries.length === 0 ? 'empty' : 'collected';
  const patchId = state === 'collected' ? await patchIdOf(services, objects.repo, base, head) : null;
  return { head, base, start, commits, files, state, patchId };
}
