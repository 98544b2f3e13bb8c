import { diffLimits } from '../../access/application-settings/effective.ts';
import type { Services } from '../../access/services.ts';
import type { LimitedDiffEntry } from '../../platform/git/diff/limits.ts';
import { mergeBase } from '../../platform/git/history/ancestry.ts';
import { nearMergeBase } from '../../platform/git/history/near-merge-base.ts';
import { listCommits } from '../../platform/git/history/walk.ts';
import type { Commit } from '../../platform/git/objects/commit.ts';
import type { Objects } from '../../platform/git/objects/objects.ts';
import { GitError } from '../../platform/git/process/errors.ts';
import { BadRequest, NotFound } from '../../platform/http/errors.ts';
import { type CommitEntity, presentCommit } from '../commits/public.ts';
import {
  type DiffStatEntity,
  generatedIn,
  type ProjectCall,
  presentDiff,
  presentDiffStat,
  projectUrl,
  repositoryOf,
  resolveCommit,
  runExpensive,
} from '../repository/public.ts';
import { combinedRepository, resolveFromProject } from './fork-side.ts';
import type { ComparisonEntity } from './schema.ts';

export interface CompareQuery {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly from_project_id?: number;
  readonly straight: boolean;
}

/** Resolves both sides of a comparison and their merge base. */
async function sidesOf(services: Services, call: ProjectCall, query: CompareQuery) {
  const { caller, subject } = call;
  const other = await resolveFromProject(services, caller, subject, query.from_project_id, query.id);
  const [from, to] = await Promise.all([
    // An empty ref is invalid here, although it means the default branch elsewhere.
    query.from === '' ? null : resolveCommit(services, other, query.from),
    query.to === '' ? null : resolveCommit(services, subject, query.to),
  ]);
  if (!from || !to) throw new NotFound('Ref');
  const objects = services.git.objects(combinedRepository(services, subject, other));
  const base = query.straight ? from.oid : await commonAncestor(services, call, objects, [from.oid, to.oid]);
  return { from, to, base, objects, same: from.oid === to.oid };
}

/** Compares two commits. Everything that only depends on their IDs is cached. */
export async function compare(
  services: Services,
  call: ProjectCall,
  query: CompareQuery & { readonly unidiff: boolean },
): Promise<ComparisonEntity> {
  const { subject } = call;
  const { from, to, base, objects, same } = await sidesOf(services, call, query);
  const [commits, { entries, overflow }] = await Promise.all([
    same ? [] : commitsBetween(services, call, objects, from.oid, to.oid),
    same ? nothing : differences(services, call, objects, base, to.oid),
  ]);
  const url = projectUrl(services, subject);
  const presented = commits.map((commit) => presentCommit(commit, url));
  return {
    commit: presented.at(-1) ?? null,
    commits: presented,
    diffs: entries.map((entry) => presentDiff(entry, query.unidiff)),
    compare_timeout: overflow,
    compare_same_ref: same,
    web_url: `${url}/-/compare/${base ?? from.oid}${query.straight ? '..' : '...'}${to.oid}`,
  };
}

/** Lists the changed files of a comparison with their line counts. */
export async function listDiffStats(
  services: Services,
  call: ProjectCall,
  query: CompareQuery,
): Promise<DiffStatEntity[]> {
  const { to, base, objects, same } = await sidesOf(services, call, query);
  const { entries } = same ? nothing : await differences(services, call, objects, base, to.oid);
  return entries.map(presentDiffStat);
}

/** Returns the best common ancestor of commits; undefined if there is none. */
async function commonAncestor(
  services: Services,
  call: ProjectCall,
  objects: Objects,
  ids: readonly string[],
): Promise<string | undefined> {
  const [one = '', two = ''] = ids;
  const found = await objects.derived(
    'merge-base',
    ids.join(' '),
    () => 100,
    async () => {
      const near = ids.length === 2 ? await nearMergeBase(objects, one, two) : undefined;
      if (near !== undefined) return near;
      const far = await runExpensive(services, call, () => mergeBase(objects.repo, ids, { signal: call.signal }));
      return far ?? null;
    },
  );
  return found ?? undefined;
}

// Up to this many commits are read through the cache; longer ranges are left to a single git process.
const maxCachedWalk = 100;

/** Lists the commits of one side that the other lacks, oldest first, without a limit. */
async function commitsBetween(
  services: Services,
  call: ProjectCall,
  objects: Objects,
  from: string,
  to: string,
): Promise<Commit[]> {
  const range = { tips: [to], exclude: [from] };
  const first = await listCommits(objects, { ...range, limit: maxCachedWalk });
  if (first.length < maxCachedWalk) return first.reverse();
  const all = await runExpensive(services, call, () =>
    listCommits(objects, { ...range, limit: Number.MAX_SAFE_INTEGER }),
  );
  return all.reverse();
}

interface Differences {
  readonly entries: readonly LimitedDiffEntry[];
  readonly overflow: boolean;
}

const nothing: Differences = { entries: [], overflow: false };
const entryBytes = 600;

async function differences(
  services: Services,
  call: ProjectCall,
  objects: Objects,
  from: string | undefined,
  to: string,
): Promise<Differences> {
  if (from === to) return nothing;
  const bytes = ({ entries }: Differences) =>
    entries.reduce((sum, entry) => sum + entry.patch.length + entryBytes, entryBytes);
  const { limits: most, key } = diffLimits(await services.settings.read());
  const work = async (): Promise<Differences> => {
    const isGenerated = await generatedIn(objects, to);
    const limits = { expanded: false, limits: most, isGenerated };
    return runExpensive(services, call, () =>
      services.git.diff(objects.repo, { from, to }, limits, { signal: call.signal }).catch(tooLong),
    );
  };
  try {
    return await objects.derived('diff', `${from ?? ''} ${to} ${key}`, bytes, work);
  } catch (error) {
    if (error instanceof TookTooLong) return { entries: [], overflow: true };
    throw error;
  }
}

/** Thrown so that a timed out diff is not cached: the next attempt may succeed. */
class TookTooLong extends Error {}

function tooLong(error: unknown): never {
  throw error instanceof GitError && error.timedOut ? new TookTooLong() : error;
}

/** Returns the merge base of two or more refs. */
export async function getMergeBase(
  services: Services,
  call: ProjectCall,
  refs: readonly string[],
): Promise<CommitEntity> {
  const { subject } = call;
  if (refs.length < 2) throw BadRequest.plain('Provide at least 2 refs');
  const commits = await Promise.all(refs.map((ref) => resolveCommit(services, subject, ref)));
  const unknown = refs.filter((_ref, i) => commits[i] === null);
  if (unknown.length > 0) {
    throw BadRequest.plain(`Could not find ref${unknown.length > 1 ? 's' : ''}: ${unknown.join(', ')}`);
  }
  const ids = [...new Set(commits.flatMap((commit) => commit?.oid ?? []))];
  const objects = services.git.objects(repositoryOf(services, subject));
  const id = ids.length === 1 ? ids[0] : await commonAncestor(services, call, objects, ids);
  const commit = id === undefined ? null : await objects.commit(id);
  if (!commit) throw new NotFound('Merge Base');
  return presentCommit(commit, projectUrl(services, subject));
}
