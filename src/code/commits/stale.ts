import type { Git } from '../../platform/git/git.ts';
import { lastCommitOf } from '../../platform/git/history/path-history.ts';
import type { Repository } from '../../platform/git/repository.ts';
import type { PreparedAction } from './apply.ts';

/**
 * The first action whose file has changed since the commit that the caller has seen: the last commit that touched it is
 * another one now. Where either is unknown nothing is stale.
 */
export async function findStale(
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
