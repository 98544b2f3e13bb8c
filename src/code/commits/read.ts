import { diffLimits } from '../../access/application-settings/effective.ts';
import type { Services } from '../../access/services.ts';
import type { LimitedDiffEntry } from '../../platform/git/diff/limits.ts';
import { refsContaining } from '../../platform/git/history/ancestry.ts';
import { countCommits } from '../../platform/git/history/log.ts';
import type { Commit } from '../../platform/git/objects/commit.ts';
import { Page, type PageRequest } from '../../platform/http/pagination.ts';
import type { DiffEntity } from '../repository/public.ts';
import {
  generatedIn,
  type ProjectCall,
  presentDiff,
  projectUrl,
  repositoryOf,
  requireCommit,
  runExpensive,
} from '../repository/public.ts';
import { type MadeCommit, statsOf } from './commit-files.ts';
import { pipelineFields } from './last-pipeline.ts';
import { presentCommit } from './present.ts';
import type { CommitDetailEntity } from './schema.ts';

/** The entity of a commit by itself. */
export async function presentDetail(
  services: Services,
  { subject }: Pick<ProjectCall, 'subject'>,
  { commit, stats }: MadeCommit,
): Promise<CommitDetailEntity> {
  return {
    ...presentCommit(commit, projectUrl(services, subject)),
    ...(stats ? { stats } : {}),
    project_id: subject.project.id,
    ...(await pipelineFields(services, subject, commit.oid)),
  };
}

export async function getCommit(
  services: Services,
  call: ProjectCall,
  sha: string,
  withStats: boolean,
): Promise<CommitDetailEntity> {
  const commit = await requireCommit(services, call.subject, sha);
  const objects = services.git.objects(repositoryOf(services, call.subject));
  const stats = withStats
    ? await statsOf(objects, commit.oid, (work) => runExpensive(services, call, work))
    : undefined;
  return presentDetail(services, call, { commit, stats });
}

const prefixes = { branch: ['refs/heads/'], tag: ['refs/tags/'], all: ['refs/heads/', 'refs/tags/'] };

/** The branches, then the tags, that have a commit in their history. */
export async function refsOfCommit(
  services: Services,
  call: ProjectCall,
  sha: string,
  type: keyof typeof prefixes,
  page: PageRequest,
): Promise<Page<{ type: string; name: string }>> {
  const { oid } = await requireCommit(services, call.subject, sha);
  const repo = repositoryOf(services, call.subject);
  return runExpensive(services, call, async () => {
    const found: { type: string; name: string }[] = [];
    let seen = 0;
    for await (const ref of refsContaining(repo, oid, prefixes[type], { signal: call.signal })) {
      if (seen++ < page.offset) continue;
      if (found.length === page.perPage) return new Page(found, undefined, true);
      const branch = ref.startsWith('refs/heads/');
      found.push({ type: branch ? 'branch' : 'tag', name: ref.slice(branch ? 11 : 10) });
    }
    return new Page(found, undefined, false);
  });
}

/** How many commits lie behind one, itself included. */
export async function countBehind(
  services: Services,
  call: ProjectCall,
  sha: string,
  firstParent: boolean,
): Promise<{ count: number }> {
  const { oid } = await requireCommit(services, call.subject, sha);
  const objects = services.git.objects(repositoryOf(services, call.subject));
  const size = () => 20;
  const count = await objects.derived('sequence', `${oid} ${firstParent}`, size, () =>
    runExpensive(services, call, () =>
      countCommits(objects.repo, { revisions: [oid], firstParent }, { signal: call.signal }),
    ),
  );
  return { count };
}

/** What a commit changed against its first parent; every file is shown that is not too large. */
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

export async function listDiff(
  services: Services,
  call: ProjectCall,
  { sha, unidiff }: { readonly sha: string; readonly unidiff: boolean },
  { offset, perPage }: PageRequest,
): Promise<Page<DiffEntity>> {
  const entries = await diffOfCommit(services, call, await requireCommit(services, call.subject, sha));
  const page = new Page(entries.slice(offset, offset + perPage), entries.length);
  return page.map((entry) => presentDiff(entry, unidiff));
}
