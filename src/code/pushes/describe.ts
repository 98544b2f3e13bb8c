import type { Git } from '../../platform/git/git.ts';
import { listCommitIds } from '../../platform/git/history/walk.ts';
import { commitTitle } from '../../platform/git/objects/commit.ts';
import { run } from '../../platform/git/process/command.ts';
import type { Repository } from '../../platform/git/repository.ts';
import type { MovedRef, RefChange } from './push.ts';
import { readRef } from './ref-kind.ts';

const titleLength = 70;

/** Truncates a title to the length stored in events. */
export function shortTitle(title: string): string {
  const characters = [...title];
  return characters.length <= titleLength ? title : `${characters.slice(0, titleLength - 3).join('')}...`;
}

/** Describes the updates of branches and tags. Other refs are ignored. */
export async function describeMoves(
  git: Git,
  repo: Repository,
  changes: readonly RefChange[],
  defaultBranch: string | null,
): Promise<MovedRef[]> {
  const moved: MovedRef[] = [];
  for (const change of changes) {
    const { kind, name } = readRef(change.ref);
    if (kind !== 'branch' && kind !== 'tag') continue;
    const action = change.new === null ? 'removed' : change.old === null ? 'created' : 'pushed';
    const summary =
      change.new === null
        ? nothing
        : kind === 'tag'
          ? await tagged(git, repo, change.new)
          : await commitsOf(git, repo, change, name, defaultBranch);
    moved.push({ ref: change.ref, old: change.old, new: change.new, kind, name, action, ...summary });
  }
  return moved;
}

/** Fewer commits than this are counted without a process. */
const nearBy = 200;

const nothing = { commitCount: 0, commitTitle: null };

async function tagged(git: Git, repo: Repository, target: string) {
  const objects = git.objects(repo);
  const id = await objects.commitId(target);
  const commit = id === null ? null : await objects.commit(id);
  return commit ? { commitCount: 1, commitTitle: shortTitle(commitTitle(commit.message)) } : nothing;
}

async function commitsOf(git: Git, repo: Repository, change: RefChange, name: string, defaultBranch: string | null) {
  const tip = await git.objects(repo).commit(change.new as string);
  if (!tip) return nothing;
  const onTop = tip.parents.length === 1 && tip.parents[0] === change.old;
  const count = onTop ? 1 : await countCommits(git, repo, change, name, defaultBranch);
  return { commitCount: count, commitTitle: count === 0 ? null : shortTitle(commitTitle(tip.message)) };
}

/** Counts the new commits relative to the old tip, or for a new branch relative to the default branch. */
async function countCommits(
  git: Git,
  repo: Repository,
  change: RefChange,
  name: string,
  defaultBranch: string | null,
): Promise<number> {
  const base =
    change.old ??
    (defaultBranch === null || defaultBranch === name ? null : await git.readRef(repo, `refs/heads/${defaultBranch}`));
  if (base !== null) {
    const near = await listCommitIds(git.objects(repo), {
      tips: [change.new as string],
      exclude: [base],
      limit: nearBy,
    });
    if (near.length < nearBy) return near.length;
  }
  const revisions = base === null ? [change.new] : [change.new, `^${base}`];
  const { stdout } = await run(
    repo,
    { name: 'rev-list', flags: ['--count', '--stdin'] },
    { stdin: `${revisions.join('\n')}\n` },
  );
  return Number(stdout.toString('latin1').trim());
}
