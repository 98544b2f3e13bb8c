import type { FastifyRequest } from 'fastify';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { WithProcessSlot } from '../../platform/git/history/log.ts';
import { logPage, type PagedLog } from '../../platform/git/history/log-page.ts';
import { lastCommitOf } from '../../platform/git/history/path-history.ts';
import type { Commit } from '../../platform/git/objects/commit.ts';
import type { Objects } from '../../platform/git/objects/objects.ts';
import { GitError } from '../../platform/git/process/errors.ts';
import { repositoryExists } from '../../platform/git/repository.ts';
import { pathProblem } from '../../platform/git/trees/path.ts';
import { entryType, type TreeEntry } from '../../platform/git/trees/tree.ts';
import { NotFound, ParameterError } from '../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import type { Cacheable } from '../../platform/http/responses/results.ts';
import { trimTrailing } from '../../platform/trim.ts';
import { cachedResponse, type ProjectCall, projectUrl, repositoryOf, runExpensive } from '../repository/public.ts';
import { presentCommit } from './present.ts';
import { resolveTips, type Tips } from './revision-range.ts';
import type { CommitEntity, CommitStats } from './schema.ts';
import { statsOfPage } from './stats.ts';

export interface CommitListQuery {
  readonly ref_name?: string;
  readonly all: boolean;
  readonly path?: string;
  readonly follow: boolean;
  readonly author?: string;
  /** Unix time in milliseconds. */
  readonly since?: number;
  readonly until?: number;
  readonly first_parent: boolean;
  readonly order: 'default' | 'topo';
  readonly with_stats: boolean;
  readonly trailers: boolean;
}

// git counts in 32 bits; no history is that long.
const farthest = 2_000_000_000;

type CommitPage = Page<CommitEntity & { stats?: CommitStats }>;

/** Lists a page of commits. There is no total count: after a full page the next page may be empty. */
export async function listCommits(
  services: Services,
  call: ProjectCall & { readonly request: FastifyRequest },
  query: CommitListQuery,
  page: PageRequest,
): Promise<CommitPage | Cacheable<CommitPage>> {
  const { subject } = call;
  await requireRepository(services, subject);
  const tips = await resolveTips(services, subject, query);
  if (!tips || page.offset >= farthest) return new Page([], undefined, false);
  const work = () => pageOf(services, call, query, tips, page);
  if (tips === 'all') return work();
  const objects = services.git.objects(repositoryOf(services, subject));
  const facts = [projectUrl(services, subject), ...tips.tips, '^', ...(tips.exclude ?? [])];
  return cachedResponse(objects, facts, call.request, work);
}

async function pageOf(
  services: Services,
  call: ProjectCall,
  query: CommitListQuery,
  tips: Tips | 'all',
  page: PageRequest,
): Promise<CommitPage> {
  const commits = await selected(services, call, query, tips, page);
  const objects = services.git.objects(repositoryOf(services, call.subject));
  const stats = query.with_stats ? await statsOfPage(services, call, objects, commits) : undefined;
  const url = projectUrl(services, call.subject);
  const items = commits.map((commit, index) => {
    const entity = presentCommit(commit, url, query.trailers);
    return stats ? { ...entity, stats: stats[index] } : entity;
  });
  return new Page(items, undefined, items.length === page.perPage);
}

async function requireRepository(services: Services, subject: ProjectSubject): Promise<void> {
  if (subject.project.empty_repo !== 1) return;
  if (!(await repositoryExists(repositoryOf(services, subject)))) throw new NotFound('Repository');
}

async function selected(
  services: Services,
  call: ProjectCall,
  query: CommitListQuery,
  tips: Tips | 'all',
  page: PageRequest,
): Promise<Commit[]> {
  const objects = services.git.objects(repositoryOf(services, call.subject));
  const path = query.path?.replace(/^\/+|^\.\/*$/g, '') || undefined;
  const author = query.author || undefined;
  if (path !== undefined && pathProblem(trimTrailing(path, '/'))) return [];
  const slowly: WithProcessSlot = (work) => runExpensive(services, call, () => work({ signal: call.signal }));
  if (tips === 'all' || path !== undefined || author !== undefined) {
    const follow = query.follow && path !== undefined && (await isOneFile(objects, tips, path, slowly));
    const log = { ...logQuery(query, tips), path, author, follow };
    const ids = await logPage(objects, log, { offset: page.offset, limit: page.perPage }, slowly).catch(refuseAuthor);
    return (await objects.commits(ids)).filter((commit) => commit !== null);
  }
  const walk = {
    ...tips,
    since: query.since === undefined ? undefined : Math.ceil(query.since / 1000),
    until: query.until === undefined ? undefined : Math.floor(query.until / 1000),
    firstParent: query.first_parent,
    order: query.order,
    offset: page.offset,
    limit: page.perPage,
  };
  return services.git.commits(objects.repo, walk, slowly);
}

/** Patterns are parsed by git: one it rejects is the caller's error. */
function refuseAuthor(error: unknown): never {
  const unreadable = error instanceof GitError && /^fatal: header, /m.test(error.stderr);
  throw unreadable ? new ParameterError('author is invalid') : error;
}

function logQuery(query: CommitListQuery, tips: Tips | 'all'): PagedLog {
  const revisions = tips === 'all' ? [] : [...tips.tips, ...(tips.exclude ?? []).map((id) => `^${id}`)];
  return {
    revisions,
    all: tips === 'all',
    since: query.since === undefined ? undefined : Math.ceil(query.since / 1000) * 1000,
    until: query.until,
    firstParent: query.first_parent,
    order: query.order,
  };
}

/**
 * Whether the path is a single file, because only files can be followed. A deleted path is judged by its last entry;
 * with `all`, the newest commit that touched the path is used.
 */
async function isOneFile(
  objects: Objects,
  tips: Tips | 'all',
  path: string,
  slowly: WithProcessSlot,
): Promise<boolean> {
  const name = trimTrailing(path, '/');
  const newest = () => logPage(objects, { all: true, path: name }, { offset: 0, limit: 1 }, slowly);
  const [from = ''] = tips === 'all' ? await newest() : tips.tips;
  const tip = await objects.commit(from);
  const entry = tip && ((await objects.entryAt(tip.tree, name)) ?? (await lastEntry(objects, tip.oid, name, slowly)));
  return !entry || entryType(entry) !== 'tree';
}

/** Returns the entry at a path before it was removed. */
async function lastEntry(
  objects: Objects,
  tip: string,
  path: string,
  slowly: WithProcessSlot,
): Promise<TreeEntry | null> {
  const removal = await objects.commit((await lastCommitOf(objects, tip, path, slowly)) ?? '');
  for (const parent of removal ? await objects.commits(removal.parents) : []) {
    const entry = parent && (await objects.entryAt(parent.tree, path));
    if (entry) return entry;
  }
  return null;
}
