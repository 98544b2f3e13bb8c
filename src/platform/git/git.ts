import { hash } from 'node:crypto';
import { isAbsolute } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { LimiterCounters } from '../concurrency.ts';
import { type DiffOptions, type DiffQuery, type LimitedDiff, limitedDiff, type PatchSource } from './diff/diff.ts';
import type { DiffLimitOptions } from './diff/limits.ts';
import { patchId } from './diff/patch-id.ts';
import { DiffPool } from './diff/pool.ts';
import type { WithProcessSlot } from './history/log.ts';
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

/** Counters for the metrics. */
export interface GitCounters {
  readonly cache: Readonly<CacheCounters>;
  readonly readers: Readonly<ResidentCounters>;
  readonly diffReaders: Readonly<ResidentCounters>;
  readonly refWriters: Readonly<ResidentCounters>;
  readonly packs: Readonly<PackCacheCounters>;
  readonly processes: Readonly<Record<'work' | 'transport', Readonly<LimiterCounters>>>;
}

const CACHE_BYTES = 64 * 1024 * 1024;
const MAX_CACHED = 10_000;

/** The repositories of one server: object readers, ref writers and a cache shared by all repositories. */
export class Git {
  readonly root: string;
  /** Cache of packs sent in response to fetches. */
  readonly packs: PackCache;
  /** Signs the commits created by the server. */
  readonly signer: CommitSigner | undefined;
  readonly #cache = new ObjectCache(CACHE_BYTES);
  readonly #readers = new ReaderPool();
  readonly #diffs = new DiffPool();
  readonly #refs = new Refs();
  // Counts deletions per path, so that a new repository at the same path does not see cached objects of the old one.
  readonly #generations = new Map<string, number>();
  // Both are needed several times per request, and each takes a digest to compute.
  readonly #repositories = new LRUCache<number | string, Repository>({ max: MAX_CACHED });
  readonly #objects = new LRUCache<string, Objects>({ max: MAX_CACHED });

  constructor(root: string, packs: PackCacheOptions = { folder: root, budget: 0 }, signer?: CommitSigner) {
    if (!isAbsolute(root)) throw new Error('the repository root must be an absolute path');
    this.root = root;
    this.packs = new PackCache(packs);
    this.signer = signer;
  }

  /** Returns the repository of a project; `id` is any stable key, such as `7` or `7.wiki`. */
  repository(id: number | string): Repository {
    return memoized(this.#repositories, id, () => ({ path: repositoryPath(this.root, id) }));
  }

  /** Creates the empty repository of a project. */
  create(id: number | string, options: { readonly defaultBranch: string }): Promise<Repository> {
    return createRepository(repositoryPath(this.root, id), options);
  }

  /** Creates the repository, or returns the existing one when a concurrent caller was first. */
  async createIfMissing(id: number | string, options: { readonly defaultBranch: string }): Promise<Repository> {
    try {
      return await this.create(id, options);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST' || code === 'ENOTEMPTY') return this.repository(id);
      throw error;
    }
  }

  /** Deletes a repository and releases all processes and cache entries belonging to it. */
  async remove(repo: Repository): Promise<void> {
    this.release(repo);
    this.#cache.forget(`${this.#scopeOf(repo)} `);
    this.#generations.set(repo.path, (this.#generations.get(repo.path) ?? 0) + 1);
    this.#objects.delete(repo.path);
    await deleteRepository(repo);
  }

  /** Ends the processes that serve a repository: after its deletion, or when a quarantine ends. */
  release(repo: Repository): void {
    // Each quarantine has a unique name, so its cache entries are never used again.
    if (repo.quarantine) this.#cache.forget(`${this.#scopeOf(repo)} `);
    this.#readers.invalidate(repo);
    this.#diffs.invalidate(repo);
    this.#refs.invalidate(repo);
  }

  /** Returns the object store of a repository. */
  objects(repo: Repository): Objects {
    return repo.quarantine ? this.#open(repo) : memoized(this.#objects, repo.path, () => this.#open(repo));
  }

  #open(repo: Repository): Objects {
    return new Objects(repo, this.#readers, this.#cache, this.#scopeOf(repo), this.#refs.reader);
  }

  #scopeOf(repo: Repository): string {
    const place = JSON.stringify([repo.path, repo.quarantine?.objectDirectory, this.#generations.get(repo.path)]);
    return hash('sha1', place, 'base64url').slice(0, 16);
  }

  /** Resolves a revision to a commit; null when it does not exist. */
  resolve(repo: Repository, revision: string): Promise<ResolvedRevision | null> {
    return resolveRevision(this.objects(repo), revision);
  }

  /** Lists commits in the order of `git log`; `slowly` runs the part that needs a process. */
  commits(repo: Repository, query: CommitQuery, slowly?: WithProcessSlot): Promise<Commit[]> {
    return listCommits(this.objects(repo), query, slowly);
  }

  /**
   * Compares two commits or trees under the documented limits; returns only `overflow` when the change exceeds the
   * budget.
   */
  async diff(
    repo: Repository,
    query: DiffQuery,
    limits: DiffLimitOptions,
    options: DiffOptions = {},
  ): Promise<LimitedDiff> {
    if (!(await changesWithinBudget(this.objects(repo), query.from, query.to))) return { entries: [], overflow: true };
    const source: PatchSource = (trees, within) => this.#diffs.output(this.objects(repo), trees, within);
    return limitedDiff(repo, query, limits, { ...options, source });
  }

  /** Returns the patch ID of a comparison; undefined when nothing differs, and with git before 2.39. */
  patchId(repo: Repository, query: DiffQuery, options: DiffOptions = {}): Promise<string | undefined> {
    const { signal } = options;
    return patchId(repo, this.#diffs.output(this.objects(repo), query, signal ? { signal } : {}), options);
  }

  /** Lists all refs under a prefix such as `refs/heads/`, in the byte order of their names. */
  listRefs(repo: Repository, prefix: string): Promise<Ref[]> {
    return this.#refs.list(this.objects(repo), prefix);
  }

  /** Returns the object that a ref points to; null when the ref does not exist. */
  readRef(repo: Repository, ref: string): Promise<string | null> {
    return this.#refs.read(this.objects(repo), ref);
  }

  /** Updates refs atomically, each only if it still has the value the caller read. */
  updateRefs(repo: Repository, updates: readonly RefUpdate[]): Promise<RefUpdateResult> {
    return this.#refs.update(this.objects(repo), updates);
  }

  /** Starts a batch of object writes. */
  writer(repo: Repository): ObjectWriter {
    const objects = this.objects(repo);
    return new ObjectWriter(repo, (object) => objects.remember(object), this.signer?.sign);
  }

  /** Opens a tree for editing; null starts from the empty tree. */
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

  /** Ends all git processes started here; pending requests fail. */
  close(): void {
    this.#readers.close();
    this.#diffs.close();
    this.#refs.close();
    this.#cache.clear();
  }
}

function memoized<K extends string | number, V extends object>(map: LRUCache<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known) return known;
  const value = make();
  map.set(key, value);
  return value;
}

/** Limits of git processes: how many run concurrently and how many bytes one may use; unlimited if omitted. */
interface GitLimits {
  readonly root: string;
  readonly processes?: number;
  readonly memory?: number;
  readonly packs?: PackCacheOptions;
  readonly signer?: CommitSigner;
}

/** Opens the repositories below a root folder. */
export function createGit({ root, processes, memory, packs, signer }: GitLimits): Git {
  if (memory !== undefined) limitGitMemory(memory);
  if (processes !== undefined) limitGitProcesses({ work: { running: processes, waiting: 8 * processes } });
  return new Git(root, packs, signer);
}
