import type { Services } from '../../access/services.ts';
import { commitStats } from '../../platform/git/history/log-stats.ts';
import type { Commit } from '../../platform/git/objects/commit.ts';
import type { Objects } from '../../platform/git/objects/objects.ts';
import { type ProjectCall, runExpensive } from '../repository/public.ts';
import type { CommitStats } from './schema.ts';

/** Added and removed lines of a commit, worked out once; `run` lets the work wait for its turn. */
export async function statsOf(
  objects: Objects,
  oid: string,
  run: (work: () => Promise<CommitStats>) => Promise<CommitStats> = (work) => work(),
): Promise<CommitStats> {
  const size = () => 50;
  return objects.derived('stats', oid, size, () =>
    run(async () => {
      const { additions = 0, deletions = 0 } = (await commitStats(objects.repo, [oid])).get(oid) ?? {};
      return { additions, deletions, total: additions + deletions };
    }),
  );
}

/** Added and removed lines of each; they depend on the commits alone. */
export function statsOfPage(
  services: Services,
  call: ProjectCall,
  objects: Objects,
  commits: readonly Commit[],
): Promise<CommitStats[]> {
  const ids = commits.map((commit) => commit.oid);
  const size = (found: CommitStats[]) => found.length * 60;
  return objects.derived('page-stats', ids.join(' '), size, async () => {
    const found = await runExpensive(services, call, () => commitStats(objects.repo, ids, { signal: call.signal }));
    return ids.map((id) => {
      const { additions = 0, deletions = 0 } = found.get(id) ?? {};
      return { additions, deletions, total: additions + deletions };
    });
  });
}
