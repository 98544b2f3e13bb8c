import type { Services } from '../../access/services.ts';
import { commitStats } from '../../platform/git/history/log-stats.ts';
import type { Commit } from '../../platform/git/objects/commit.ts';
import type { Objects } from '../../platform/git/objects/objects.ts';
import { changesWithinBudget } from '../../platform/git/trees/change-budget.ts';
import { type ProjectCall, runExpensive } from '../repository/public.ts';
import type { CommitStats } from './schema.ts';

const nothing: CommitStats = { additions: 0, deletions: 0, total: 0 };

/** Returns the line counts of commits. Commits with too many changed files count as zero. */
async function countedStats(
  objects: Objects,
  ids: readonly string[],
  options: { readonly signal?: AbortSignal } = {},
): Promise<CommitStats[]> {
  const counted = await Promise.all(
    ids.map(async (id) => {
      const [parent] = (await objects.commit(id))?.parents ?? [];
      return (await changesWithinBudget(objects, parent, id)) ? [id] : [];
    }),
  );
  const found = await commitStats(objects.repo, counted.flat(), options);
  return ids.map((id) => {
    const { additions = 0, deletions = 0 } = found.get(id) ?? {};
    return { additions, deletions, total: additions + deletions };
  });
}

/** Returns the line counts of a commit, cached. `run` may queue the computation. */
export async function statsOf(
  objects: Objects,
  oid: string,
  run: (work: () => Promise<CommitStats>) => Promise<CommitStats> = (work) => work(),
): Promise<CommitStats> {
  const size = () => 50;
  return objects.derived('stats', oid, size, () => run(async () => (await countedStats(objects, [oid]))[0] ?? nothing));
}

/** Returns the line counts of a page of commits, cached by their IDs. */
export function statsOfPage(
  services: Services,
  call: ProjectCall,
  objects: Objects,
  commits: readonly Commit[],
): Promise<CommitStats[]> {
  const ids = commits.map((commit) => commit.oid);
  const size = (found: CommitStats[]) => found.length * 60;
  return objects.derived('page-stats', ids.join(' '), size, () =>
    runExpensive(services, call, () => countedStats(objects, ids, { signal: call.signal })),
  );
}
