import type { Commit } from '../objects/commit.ts';
import type { Objects } from '../objects/objects.ts';
import { run } from '../process/command.ts';
import { CommitQueue } from './commit-queue.ts';
import type { LogOptions, WithProcessSlot } from './log.ts';

/** Selects commits; all ids are full commit ids. */
export interface CommitQuery {
  /** Commits to start from. */
  readonly tips: readonly string[];
  /** Excludes everything reachable from these commits. */
  readonly exclude?: readonly string[];
  /** Committer dates in seconds, both inclusive. */
  readonly since?: number;
  readonly until?: number;
  readonly firstParent?: boolean;
  readonly order?: 'default' | 'topo';
  readonly offset?: number;
  readonly limit: number;
}

// Number of commits that git walks beyond the apparent end of a walk with exclusions, to tolerate clock skew.
const SLOP = 5;
// Maximum number of commits read in-process for one walk; beyond that one git process is faster.
const READ_BUDGET = 400;

class BudgetSpent extends Error {}

/**
 * Returns commit ids in the order of `git log`. Short walks use the object reader and its cache; long ones, and
 * topological order, which needs the whole history first, use `git rev-list`.
 */
export function listCommitIds(
  objects: Objects,
  query: CommitQuery,
  slowly: WithProcessSlot = (work) => work({}),
): Promise<readonly string[]> {
  if (query.limit <= 0 || query.tips.length === 0) return Promise.resolve([]);
  const spawned = () => slowly((limits) => spawnedWalk(objects, query, limits));
  return objects.derived(
    'walk',
    JSON.stringify(query),
    (ids) => ids.length * 64,
    async () => {
      // A range between commits is usually short, whatever the limit.
      const between = query.exclude !== undefined && query.exclude.length > 0;
      const long = !between && (query.offset ?? 0) + query.limit > READ_BUDGET;
      if (query.order === 'topo' || long) return spawned();
      try {
        return await walk(budgeted(objects, READ_BUDGET * 2), query);
      } catch (error) {
        if (error instanceof BudgetSpent) return spawned();
        throw error;
      }
    },
  );
}

/** Returns the commits of a query; `slowly` runs the part that needs a process. */
export async function listCommits(objects: Objects, query: CommitQuery, slowly?: WithProcessSlot): Promise<Commit[]> {
  const commits = await objects.commits(await listCommitIds(objects, query, slowly));
  return commits.filter((commit) => commit !== null);
}

/** Fetches a commit; rejects when it is missing or the read budget is exhausted. */
export type Fetch = (oid: string) => Promise<Commit>;

/** Walks in-process; a pure function of what `fetch` returns. */
export function walk(fetch: Fetch, query: CommitQuery): Promise<string[]> {
  return query.exclude && query.exclude.length > 0 ? walkBetween(fetch, query) : walkFrom(fetch, query);
}

async function walkFrom(fetch: Fetch, query: CommitQuery): Promise<string[]> {
  const queue = new CommitQueue();
  const seen = new Set<string>();
  const found: string[] = [];
  const end = (query.offset ?? 0) + query.limit;
  await enqueue(fetch, queue, seen, query.tips);
  for (let commit = queue.pop(); commit && found.length < end; commit = queue.pop()) {
    // As in git, the ancestors of a commit that is too old are not visited, whatever their date.
    if (tooOld(commit, query)) continue;
    if (found.length + (tooNew(commit, query) ? 0 : 1) < end)
      await enqueue(fetch, queue, seen, parentsOf(commit, query));
    if (!tooNew(commit, query)) found.push(commit.oid);
  }
  return found.slice(query.offset ?? 0);
}

/** git's `limit_list`: marks what the excluded side reaches until no queued commit can affect the result any more. */
async function walkBetween(fetch: Fetch, query: CommitQuery): Promise<string[]> {
  const marks = new Marks();
  const queue = new CommitQueue();
  const seen = new Set<string>();
  const added = new Set<string>();
  const selected: Commit[] = [];
  for (const oid of query.exclude ?? []) marks.exclude(oid);
  for (const commit of await enqueue(fetch, queue, seen, [...(query.exclude ?? []), ...query.tips])) {
    marks.parsed(commit);
    if (marks.excluded(commit.oid)) marks.excludeParents(commit);
  }
  let slop = SLOP;
  let lastDate = Number.POSITIVE_INFINITY;
  for (let commit = queue.pop(); commit; commit = queue.pop()) {
    if (tooOld(commit, query)) marks.exclude(commit.oid);
    if (!added.has(commit.oid)) {
      added.add(commit.oid);
      await follow(fetch, queue, seen, marks, commit, query);
    }
    if (marks.excluded(commit.oid)) {
      marks.excludeParents(commit);
      slop = stillInteresting(queue, marks, lastDate, slop);
      if (slop === 0) break;
    } else if (!tooNew(commit, query)) {
      lastDate = commit.committer.seconds;
      selected.push(commit);
    }
  }
  const ids = selected.filter((commit) => !marks.excluded(commit.oid)).map((commit) => commit.oid);
  return ids.slice(query.offset ?? 0, (query.offset ?? 0) + query.limit);
}

async function follow(
  fetch: Fetch,
  queue: CommitQueue,
  seen: Set<string>,
  marks: Marks,
  commit: Commit,
  query: CommitQuery,
): Promise<void> {
  const excluded = marks.excluded(commit.oid);
  const parents = excluded ? commit.parents : parentsOf(commit, query);
  if (excluded) for (const parent of parents) marks.exclude(parent);
  for (const parent of await enqueue(fetch, queue, seen, parents)) marks.parsed(parent);
  if (!excluded) return;
  for (const parent of parents) {
    const known = marks.commit(parent);
    if (known) marks.excludeParents(known);
  }
}

function stillInteresting(queue: CommitQueue, marks: Marks, lastDate: number, slop: number): number {
  const next = queue.peek();
  if (!next) return 0;
  if (lastDate <= next.committer.seconds) return SLOP;
  if (!queue.every((commit) => marks.excluded(commit.oid))) return SLOP;
  return slop - 1;
}

/** Tracks the commits reachable from the excluded side, as far as they have been read. */
class Marks {
  readonly #excluded = new Set<string>();
  readonly #parsed = new Map<string, Commit>();

  excluded(oid: string): boolean {
    return this.#excluded.has(oid);
  }

  exclude(oid: string): void {
    this.#excluded.add(oid);
  }

  commit(oid: string): Commit | undefined {
    return this.#parsed.get(oid);
  }

  parsed(commit: Commit): void {
    this.#parsed.set(commit.oid, commit);
  }

  /** Marks the parents and, through commits already read, all their ancestors. */
  excludeParents(commit: Commit): void {
    const pending = [...commit.parents];
    for (let oid = pending.pop(); oid !== undefined; oid = pending.pop()) {
      if (this.#excluded.has(oid)) continue;
      this.#excluded.add(oid);
      pending.push(...(this.#parsed.get(oid)?.parents ?? []));
    }
  }
}

async function enqueue(
  fetch: Fetch,
  queue: CommitQueue,
  seen: Set<string>,
  oids: readonly string[],
): Promise<Commit[]> {
  const fresh = oids.filter((oid) => !seen.has(oid) && seen.add(oid));
  const commits = await Promise.all(fresh.map(fetch));
  for (const commit of commits) queue.push(commit);
  return commits;
}

function parentsOf(commit: Commit, query: CommitQuery): readonly string[] {
  return query.firstParent ? commit.parents.slice(0, 1) : commit.parents;
}

function tooOld(commit: Commit, query: CommitQuery): boolean {
  return query.since !== undefined && commit.committer.seconds < query.since;
}

function tooNew(commit: Commit, query: CommitQuery): boolean {
  return query.until !== undefined && commit.committer.seconds > query.until;
}

function budgeted(objects: Objects, budget: number): Fetch {
  let left = budget;
  return async (oid) => {
    if (left-- <= 0) throw new BudgetSpent();
    const commit = await objects.commit(oid);
    if (!commit) throw new Error(`commit ${oid} is missing`);
    return commit;
  };
}

async function spawnedWalk(objects: Objects, query: CommitQuery, limits: LogOptions): Promise<string[]> {
  const flags = ['--stdin', `--max-count=${query.limit}`, `--skip=${query.offset ?? 0}`];
  if (query.since !== undefined) flags.push(`--max-age=${query.since}`);
  if (query.until !== undefined) flags.push(`--min-age=${query.until}`);
  if (query.firstParent) flags.push('--first-parent');
  if (query.order === 'topo') flags.push('--topo-order');
  const revisions = [...(query.exclude ?? []).map((oid) => `^${oid}`), ...query.tips];
  const stdin = `${revisions.join('\n')}\n`;
  const { stdout } = await run(objects.repo, { name: 'rev-list', flags }, { ...limits, stdin });
  return stdout.toString('latin1').split('\n').filter(Boolean);
}
