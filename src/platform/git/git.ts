import { hash } from 'node:crypto';
import { isAbsolute } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { LimiterCounters } from '../concurrency.ts';
import { type DiffOptions, type DiffQuery, type LimitedDiff, limitedDiff, type PatchSource } from './diff/diff.ts';
import type { DiffLimitOptions } from './diff/limits.ts';
import { DiffPool } from './diff/pool.ts';
import type { Slowly } from './history/log.ts';
import { type ResolvedRevision, resolveRevision } from './history/revision.ts';
import { type CommitQuery, listCommits } from './history/walk.ts';
import { type CacheCounters, ObjectCache } from './objects/cache.ts';
import type { Commit } from './objects/commit.ts';
import { Objects } from './objects/objects.ts';
import { ReaderPool } from './objects/reader-pool.ts';
import { ObjectWriter } from './objects/writer.ts';
import { gitProcessCounters, limitGitProcesses } from './process/command.ts';
import { limitGitMemory } from './process/process.ts';
import type { ResidentCounters } from './process/resident-pool.ts';
import { type Ref, Refs, type RefUpdate, type RefUpdateResult } from './refs/refs.ts';
import { createRepository, deleteRepository, type Repository, repositoryPath } from './repository.ts';
import type { CommitSigner } from './signatures/commit-signer.ts';
import { PackCache, type PackCacheCounters, type PackCacheOptions } from './transport/packs/cache.ts';
import { changesWithinBudget } from './trees/change-budget.ts';
import { TreeEditor } from './trees/edit.ts';

/** Figures for the metrics. */
export interface GitCounters {
  readonly cache: Readonly<CacheCounters>;
  readonly readers: Readonly<ResidentCounters>;
  readonly diffReaders: Readonly<ResidentCounters>;
  readonly refWriters: Readonly<ResidentCounters>;
  readonly packs: Readonly<PackCacheCounters>;
  readonly processes: Readonly<Record<'work' | 'transport', Readonly<LimiterCounters>>>;
}

const CACHE_BYTES = 64 * 1024 * 1024;
const KEPT = 10_000;

/** The repositories of one server: their readers, their ref writers and one cache over all of them. */
export class Git {
  readonly root: string;
  /** The packs that fetches were answered with. */
  readonly packs: PackCache;
  /** Signs the commits that the server makes itself. */
  readonly signer: CommitSigner | undefined;
  readonly #cache = new ObjectCache(CACHE_BYTES);
  readonly #readers = new ReaderPool();
  readonly #diffs = new DiffPool();
  readonly #refs = new Refs();
  // Repositories deleted here, so that a new one at the same path does not see what was cached of the old.
  readonly #generations = new Map<string, number>();
  // Both are asked for several times in every request, and take a digest each.
  readonly #repositories = new LRUCache<number | string, Repository>({ max: KEPT });
  readonly #objects = new LRUCache<string, Objects>({ max: KEPT });

  constructor(root: string, packs: PackCacheOptions = { folder: root, budget: 0 }, signer?: CommitSigner) {
    if (!isAbsolute(root)) throw new Error('the folder of the repositories must be an absolute path');
    this.root = root;
    this.packs = new PackCache(packs);
    this.signer = signer;
  }

  /** The repository of a project; `id` is any stable key, such as `7` or `7.wiki`. */
  repository(id: number | string): Repository {
    return kept(this.#repositories, id, () => ({ path: repositoryPath(this.root, id) }));
  }

  /** Creates a project's empty repository. */
  create(id: number | string, options: { readonly defaultBranch: string }): Promise<Repository> {
    return createRepository(repositoryPath(this.root, id), options);
  }

  /** The same where it may be there: of several who need it first, one makes it. */
  async createIfMissing(id: number | string, options: { readonly defaultBranch: string }): Promise<Repository> {
    try {
      return await this.create(id, options);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST' || code === 'ENOTEMPTY') return this.repository(id);
      throw error;
    }
  }

  /** Deletes a repository and lets go of everything that serves it. */
  async remove(repo: Repository): Promise<void> {
    this.release(repo);
    this.#cache.forget(`${this.#scopeOf(repo)} `);
    this.#generations.set(repo.path, (this.#generations.get(repo.path) ?? 0) + 1);
    this.#objects.delete(repo.path);
    await deleteRepository(repo);
  }

  /** Ends the processes that serve a repository: after its deletion, or when a quarantine ends. */
  release(repo: Repository): void {
    // What was read of a quarantine is never asked for again, since its name is new each time.
    if (repo.quarantine) this.#cache.forget(`${this.#scopeOf(repo)} `);
    this.#readers.invalidate(repo);
    this.#diffs.invalidate(repo);
    this.#refs.invalidate(repo);
  }

  /** The objects of a repository. */
  objects(repo: Repository): Objects {
    return repo.quarantine ? this.#open(repo) : kept(this.#objects, repo.path, () => this.#open(repo));
  }

  #open(repo: Repository): Objects {
    return new Objects(repo, this.#readers, this.#cache, this.#scopeOf(repo), this.#refs.reader);
  }

  #scopeOf(repo: Repository): string {
    const place = JSON.stringify([repo.path, repo.quarantine?.objectDirectory, this.#generations.get(repo.path)]);
    return hash('sha1', place, 'base64url').slice(0, 16);
  }

  /** The commit that a caller's revision stands for; null when there is none. */
  resolve(repo: Repository, revision: string): Promise<ResolvedRevision | null> {
    return resolveRevision(this.objects(repo), revision);
  }

  /** Commits in the order of `git log`; `slowly` runs what needs a process. */
  commits(repo: Repository, query: CommitQuery, slowly?: Slowly): Promise<Commit[]> {
    return listCommits(this.objects(repo), query, slowly);
  }

  /** What differs between two commits or trees, under the documented limits; nothing of what no limit would let through. */
  async diff(
    repo: Repository,
    query: DiffQuery,
    limits: DiffLimitOptions,
    options: DiffOptions = {},
  ): Promise<LimitedDiff> {
    if (!(await changesWithinBudget(this.objects(repo), query.from, query.to))) return { entries: [], overflow: true };
    const source: PatchSource = (asked, within) => this.#diffs.output(this.objects(repo), asked, within);
    return limitedDiff(repo, query, limits, { ...options, source });
  }

  /** All refs under a prefix such as `refs/heads/`, in the byte order of their names. */
  listRefs(repo: Repository, prefix: string): Promise<Ref[]> {
    return this.#refs.list(this.objects(repo), prefix);
  }

  /** The object that a ref points to; null when there is no such ref. */
  readRef(repo: Repository, ref: string): Promise<string | null> {
    return this.#refs.read(this.objects(repo), ref);
  }

  /** Moves refs, all or none, each only if it still has the value the caller saw. */
  updateRefs(repo: Repository, updates: readonly RefUpdate[]): Promise<RefUpdateResult> {
    return this.#refs.update(this.objects(repo), updates);
  }

  /** Begins a write of objects. */
  writer(repo: Repository): ObjectWriter {
    const objects = this.objects(repo);
    return new ObjectWriter(repo, (object) => objects.remember(object), this.signer?.sign);
  }

  /** Begins the edit of a tree, or of nothing. */
  editTree(repo: Repository, tree: string | null): Promise<TreeEditor> {
    return TreeEditor.open(this.objects(repo), tree);
  }

  counters(): GitCounters {
    return {
      cache: this.#cache.counters,
      readers: this.#readers.counters,
      diffReaders: this.#diffs.counters,
      refWriters: this.#refs.counters,
      packs: this.packs.counters,
      processes: gitProcessCounters(),
    };
  }

  /** Ends every process started here; what is still asked fails. */
  close(): void {
    this.#readers.close();
    this.#diffs.close();
    this.#refs.close();
    this.#cache.clear();
  }
}

function kept<K extends string | number, V extends object>(map: LRUCache<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known) return known;
  const made = make();
  map.set(key, made);
  return made;
}

/** How many processes of git run at the same time, and how many bytes one may take; without it, as it comes. */
interface GitLimits {
  readonly root: string;
  readonly processes?: number;
  readonly memory?: number;
  readonly packs?: PackCacheOptions;
  readonly signer?: CommitSigner;
}

/** Opens the repositories below a folder. */
export function createGit({ root, processes, memory, packs, signer }: GitLimits): Git {
  if (memory !== undefined) limitGitMemory(memory);
  if (processes !== undefined) limitGitProcesses({ work: { running: processes, waiting: 8 * processes } });
  return new Git(root, packs, signer);
}
