import { diffLimits } from '../../access/application-settings/effective.ts';
import type { Services } from '../../access/services.ts';
import type { LimitedDiffEntry } from '../../platform/git/diff/limits.ts';
import type { Commit } from '../../platform/git/objects/commit.ts';
import { generatedIn, type ProjectCall, repositoryOf, runExpensive } from '../repository/public.ts';

/** Returns the diff of a commit against its first parent. Files are expanded up to the size limits. */
export async function diffOfCommit(
  services: Services,
  call: ProjectCall,
  commit: Pick<Commit, 'oid' | 'parents'>,
): Promise<LimitedDiffEntry[]> {
  const objects = services.git.objects(repositoryOf(services, call.subject));
  const size = (entries: LimitedDiffEntry[]) => entries.reduce((sum, entry) => sum + entry.patch.length + 500, 0);
  const { limits: most, key } = diffLimits(await services.settings.read());
  return objects.derived('commit-diff', `${commit.oid} ${key}`, size, () =>
    runExpensive(services, call, async () => {
      const query = { from: commit.parents[0], to: commit.oid };
      const limits = { expanded: true, limits: most, isGenerated: await generatedIn(objects, commit.oid) };
      return (await services.git.diff(objects.repo, query, limits, { signal: call.signal })).entries;
    }),
  );
}
