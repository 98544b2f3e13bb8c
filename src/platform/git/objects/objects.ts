import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { type Repository, spawnGit } from '../process/command.ts';
import { GitError } from '../process/errors.ts';
import { RefReader } from '../refs/reader.ts';
import { isObjectId, isRefName } from '../refs/refname.ts';
import { EMPTY_TREE, entryType, Tree, type TreeEntry } from '../trees/tree.ts';
import type { CacheNamespace, ObjectCache } from './cache.ts';
import { type Commit, parseCommit } from './commit.ts';
import { DerivedResults } from './derived-results.ts';
import { findInTree } from './find-in-tree.ts';
import type { NewObject } from './loose-object.ts';
import type { ObjectInfo, ObjectType } from './object.ts';
import type { ReaderPool } from './reader-pool.ts';
import { parseTag, type Tag } from './tag.ts';

/** Blobs up to this size are read through the shared reader; larger ones are streamed by a separate process. */
export const SHARED_READ_BYTES = 1024 * 1024;

const CACHED_BLOB_BYTES = 64 * 1024;

/** Thrown for an object that is too large to be held in memory. */
export class ObjectTooLargeError extends Error {
  override readonly name = 'ObjectTooLargeError';
}

const tooLarge = ({ type, oid, size }: { type: string; oid: string; size: number }) =>
  new ObjectTooLargeError(`${type} ${oid} has ${size} bytes`);

/** Reads the objects of one repository by id and caches them under the shared byte budget. */
export class Objects extends DerivedResults {
  readonly repo: Repository;
  readonly #pool: ReaderPool;
  readonly #refs: RefReader;
  readonly #infos: CacheNamespace<ObjectInfo>;
  readonly #commits: CacheNamespace<Commit>;
  readonly #tags: CacheNamespace<Tag>;
  readonly #trees: CacheNamespace<Tree>;
  readonly #entries: CacheNamespace<TreeEntry | 'none'>;
  readonly #blobs: CacheNamespace<Buffer>;

  /** `scope` separates cached objects by repository: an id must not reveal an object of another repository. */
  constructor(repo: Repository, pool: ReaderPool, cache: ObjectCache, scope: string, refs = new RefReader()) {
    super(cache, scope);
    this.repo = repo;
    this.#pool = pool;
    this.#refs = refs;
    this.#infos = cache.namespace(`${scope} info`);
    this.#commits = cache.namespace(`${scope} commit`);
    this.#tags = cache.namespace(`${scope} tag`);
    this.#trees = cache.namespace(`${scope} tree`);
    this.#entries = cache.namespace(`${scope} entry`);
    this.#blobs = cache.namespace(`${scope} blob`);
  }

  /** Returns the object that a ref currently points to (tags are not peeled); null when the ref does not exist. */
  async ref(name: string): Promise<string | null> {
    if (!isRefName(name)) return null;
    const oid = this.#refs.read(this.repo, name);
    if (oid !== undefined) return oid;
    const info = await this.#pool.info(this.repo, name);
    return info.status === 'found' ? info.oid : null;
  }

  /** Looks up an object name. Ids are cached; other names are resolved every time. */
  async info(spec: string): Promise<ObjectInfo> {
    if (!isObjectId(spec)) return this.#pool.info(this.repo, spec);
    const cached = this.#infos.get(spec);
    if (cached) return cached;
    const info = await this.#pool.info(this.repo, spec);
    if (info.status === 'found') this.#infos.set(spec, info, 100);
    return info;
  }

  /** Resolves a name to a commit id, peeling tags; null when there is no such commit. */
  async commitId(name: string): Promise<string | null> {
    if (this.#commits.get(name)) return name;
    const info = await this.info(name);
    if (info.status !== 'found') return null;
    if (info.type === 'commit') return info.oid;
    if (info.type !== 'tag') return null;
    const peeled = await this.#pool.info(this.repo, `${info.oid}^{commit}`);
    return peeled.status === 'found' ? peeled.oid : null;
  }

  /** Returns a commit by id; null when missing. */
  commit(oid: string): Promise<Commit | null> {
    return this.#parsed(oid, 'commit', this.#commits, parseCommit, textCost);
  }

  /** Returns commits by id, requested together; null for each missing one. */
  async commits(oids: readonly string[]): Promise<(Commit | null)[]> {
    const known = oids.map((oid) => this.#commits.get(oid) ?? oid);
    if (!known.some((found) => typeof found === 'string')) return known as Commit[];
    return Promise.all(known.map((found) => (typeof found === 'string' ? this.commit(found) : found)));
  }

  /** Returns an annotated tag by the id of its object; null when missing. */
  tag(oid: string): Promise<Tag | null> {
    return this.#parsed(oid, 'tag', this.#tags, parseTag, textCost);
  }

  /** Returns a tree by id; null when missing. */
  async tree(oid: string): Promise<Tree | null> {
    // git knows the empty tree even if it was never written.
    if (oid === EMPTY_TREE) return new Tree(oid, Buffer.alloc(0));
    return this.#parsed(oid, 'tree', this.#trees, newTree, treeCost);
  }

  /** Returns the entry at a path below a tree, reading only the folders on the way; null when missing. */
  async entryAt(tree: string, path: string): Promise<TreeEntry | null> {
    const cached = this.#entries.get(tree + path);
    if (cached) return cached === 'none' ? null : cached;
    const [start, rest] = this.#nearestFolder(tree, path);
    const names = rest.split('/');
    const last = names.pop() ?? '';
    const folder = await this.#walkTo(start, names);
    // Later requests for siblings or subfolders start at this folder instead of walking the whole path.
    if (names.length > 0) this.#keepEntry(tree, path.slice(0, -last.length - 1), folder);
    const entry = folder && (await this.#walkTo(folder, [last]));
    this.#keepEntry(tree, path, entry);
    return entry;
  }

  /**
   * Returns an entry of a folder by name. A tree with about half a million entries is too large to be held and is
   * searched by git.
   */
  async entryIn(folder: string, name: string): Promise<TreeEntry | null> {
    try {
      return (await this.tree(folder))?.find(name) ?? null;
    } catch (error) {
      if (!(error instanceof ObjectTooLargeError)) throw error;
      return findInTree(this.repo, folder, name);
    }
  }

  #keepEntry(tree: string, path: string, entry: TreeEntry | null): void {
    this.#entries.set(tree + path, entry ?? 'none', path.length + 200);
  }

  /** Returns the deepest cached folder on the way to a path, and the rest of the path below it. */
  #nearestFolder(tree: string, path: string): [TreeEntry, string] {
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      const known = this.#entries.get(tree + path.slice(0, slash));
      if (known && known !== 'none') return [known, path.slice(slash + 1)];
    }
    return [{ mode: '040000', name: '', oid: tree }, path];
  }

  /** Returns the content of a blob; null when missing. Throws ObjectTooLargeError beyond `limit`. */
  async blob(oid: string, limit = SHARED_READ_BYTES): Promise<Buffer | null> {
    const cached = this.#blobs.get(oid);
    if (cached) return cached;
    const info = await this.info(oid);
    if (info.status !== 'found' || info.type !== 'blob') return null;
    if (info.size > limit) throw new ObjectTooLargeError(`blob ${oid} has ${info.size} bytes`);
    const data = info.size <= SHARED_READ_BYTES ? await this.#shared(oid) : await collect(await this.#stream(oid));
    if (data.length <= CACHED_BLOB_BYTES) this.#blobs.set(oid, data, data.length + 200);
    return data;
  }

  /** Streams a blob of any size with back-pressure; null when missing. */
  async blobStream(oid: string, signal?: AbortSignal): Promise<{ size: number; stream: Readable } | null> {
    const info = await this.info(oid);
    if (info.status !== 'found' || info.type !== 'blob') return null;
    if (info.size > SHARED_READ_BYTES) return { size: info.size, stream: await this.#stream(oid, signal) };
    const data = await this.blob(oid);
    return data && { size: data.length, stream: Readable.from([data]) };
  }

  /** Returns the raw content of an object, as covered by signatures; null when missing. */
  async raw(oid: string): Promise<{ type: ObjectType; data: Buffer } | null> {
    const answer = await this.#pool.contents(this.repo, oid);
    if (answer.status === 'too-large') throw tooLarge(answer);
    return answer.status === 'found' ? { type: answer.type, data: answer.data } : null;
  }

  /** Adds an object that was just written to the cache. */
  remember({ oid, type, data }: NewObject): void {
    if (type === 'commit') this.#commits.set(oid, parseCommit(oid, data), textCost(data.length));
    if (type !== 'tree') return;
    const tree = new Tree(oid, data);
    this.#trees.set(oid, tree, tree.bytes);
  }

  async #parsed<T>(
    oid: string,
    type: ObjectType,
    namespace: CacheNamespace<T>,
    parse: (oid: string, raw: Buffer) => T,
    cost: (size: number, value: T) => number,
  ): Promise<T | null> {
    const cached = namespace.get(oid);
    if (cached) return cached;
    if (!isObjectId(oid)) return null;
    const found = await this.#pool.contents(this.repo, oid);
    if (found.status === 'missing' || found.status === 'ambiguous' || found.type !== type) return null;
    if (found.status === 'too-large' && type === 'tree') throw tooLarge(found);
    const data = found.status === 'found' ? found.data : found.beginning;
    const value = parse(oid, data);
    namespace.set(oid, value, cost(data.length, value));
    return value;
  }

  async #walkTo(start: TreeEntry, segments: readonly string[]): Promise<TreeEntry | null> {
    let entry = start;
    for (const segment of segments) {
      if (entryType(entry) !== 'tree') return null;
      const next = await this.entryIn(entry.oid, segment);
      if (!next) return null;
      entry = next;
    }
    return entry;
  }

  async #shared(oid: string): Promise<Buffer> {
    const answer = await this.#pool.contents(this.repo, oid);
    if (answer.status !== 'found') throw new GitError(`object ${oid} disappeared while being read`, {});
    return answer.data;
  }

  async #stream(oid: string, signal?: AbortSignal): Promise<Readable> {
    // Uses the transport lane, because a slow client may keep it busy for a long time.
    const git = await spawnGit(this.repo, { name: 'cat-file', args: ['blob', oid] }, { signal, lane: 'transport' });
    git.stdin.end();
    git.done.catch((error: Error) => git.stdout.destroy(error));
    // A reader that stops early must not leave git blocked on the pipe.
    finished(git.stdout).catch(() => git.kill());
    return git.stdout;
  }
}

// A parsed commit or tag takes a few hundred bytes in addition to its text.
function textCost(size: number): number {
  return size * 2 + 600;
}

function treeCost(_size: number, tree: Tree): number {
  return tree.bytes;
}

function newTree(oid: string, raw: Buffer): Tree {
  return new Tree(oid, raw);
}

async function collect(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
