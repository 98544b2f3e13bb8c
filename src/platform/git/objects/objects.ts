import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { type Repository, spawnGit } from '../process/command.ts';
import { GitError } from '../process/errors.ts';
import { RefReader } from '../refs/reader.ts';
import { isObjectId, isRefName } from '../refs/refname.ts';
import { EMPTY_TREE, entryType, Tree, type TreeEntry } from '../trees/tree.ts';
import type { ObjectCache, Shelf } from './cache.ts';
import { type Commit, parseCommit } from './commit.ts';
import { DerivedResults } from './derived-results.ts';
import { findInTree } from './find-in-tree.ts';
import type { NewObject } from './loose-object.ts';
import type { ObjectInfo, ObjectType } from './object.ts';
import type { ReaderPool } from './reader-pool.ts';
import { parseTag, type Tag } from './tag.ts';

/** Blobs up to this size go through the shared reader; larger ones are streamed by a process of their own. */
export const SHARED_READ_BYTES = 1024 * 1024;

const CACHED_BLOB_BYTES = 64 * 1024;

/** An object that is too large to be held in memory. */
export class ObjectTooLargeError extends Error {
  override readonly name = 'ObjectTooLargeError';
}

const tooLarge = ({ type, oid, size }: { type: string; oid: string; size: number }) =>
  new ObjectTooLargeError(`${type} ${oid} has ${size} bytes`);

/** The objects of one repository, read by id and kept under the cache's budget. */
export class Objects extends DerivedResults {
  readonly repo: Repository;
  readonly #pool: ReaderPool;
  readonly #refs: RefReader;
  readonly #infos: Shelf<ObjectInfo>;
  readonly #commits: Shelf<Commit>;
  readonly #tags: Shelf<Tag>;
  readonly #trees: Shelf<Tree>;
  readonly #entries: Shelf<TreeEntry | 'none'>;
  readonly #blobs: Shelf<Buffer>;

  /** `scope` sets the cached objects of this repository apart: an id must not open another repository's object. */
  constructor(repo: Repository, pool: ReaderPool, cache: ObjectCache, scope: string, refs = new RefReader()) {
    super(cache, scope);
    this.repo = repo;
    this.#pool = pool;
    this.#refs = refs;
    this.#infos = cache.shelf(`${scope} info`);
    this.#commits = cache.shelf(`${scope} commit`);
    this.#tags = cache.shelf(`${scope} tag`);
    this.#trees = cache.shelf(`${scope} tree`);
    this.#entries = cache.shelf(`${scope} entry`);
    this.#blobs = cache.shelf(`${scope} blob`);
  }

  /** The object that a ref points to now (a tag is not followed); null when there is no such ref. */
  async ref(name: string): Promise<string | null> {
    if (!isRefName(name)) return null;
    const oid = this.#refs.read(this.repo, name);
    if (oid !== undefined) return oid;
    const info = await this.#pool.info(this.repo, name);
    return info.status === 'found' ? info.oid : null;
  }

  /** What an object name stands for now; names are read afresh, ids from the cache. */
  async info(spec: string): Promise<ObjectInfo> {
    if (!isObjectId(spec)) return this.#pool.info(this.repo, spec);
    const cached = this.#infos.get(spec);
    if (cached) return cached;
    const info = await this.#pool.info(this.repo, spec);
    if (info.status === 'found') this.#infos.set(spec, info, 100);
    return info;
  }

  /** The id of the commit that a name stands for, tags followed; null when there is none. */
  async commitId(name: string): Promise<string | null> {
    if (this.#commits.get(name)) return name;
    const info = await this.info(name);
    if (info.status !== 'found') return null;
    if (info.type === 'commit') return info.oid;
    if (info.type !== 'tag') return null;
    const peeled = await this.#pool.info(this.repo, `${info.oid}^{commit}`);
    return peeled.status === 'found' ? peeled.oid : null;
  }

  /** A commit by id; null when there is none. */
  commit(oid: string): Promise<Commit | null> {
    return this.#parsed(oid, 'commit', this.#commits, parseCommit, textCost);
  }

  /** Commits by id, asked together; null in the place of each that is missing. */
  async commits(oids: readonly string[]): Promise<(Commit | null)[]> {
    const known = oids.map((oid) => this.#commits.get(oid) ?? oid);
    if (!known.some((found) => typeof found === 'string')) return known as Commit[];
    return Promise.all(known.map((found) => (typeof found === 'string' ? this.commit(found) : found)));
  }

  /** An annotated tag by the id of its object; null when there is none. */
  tag(oid: string): Promise<Tag | null> {
    return this.#parsed(oid, 'tag', this.#tags, parseTag, textCost);
  }

  /** A tree by id; null when there is none. */
  async tree(oid: string): Promise<Tree | null> {
    // git knows the empty tree whether or not it was ever written.
    if (oid === EMPTY_TREE) return new Tree(oid, Buffer.alloc(0));
    return this.#parsed(oid, 'tree', this.#trees, newTree, treeCost);
  }

  /** The entry at a path below a tree, reading only the folders on the way; null when there is none. */
  async entryAt(tree: string, path: string): Promise<TreeEntry | null> {
    const cached = this.#entries.get(tree + path);
    if (cached) return cached === 'none' ? null : cached;
    const [start, rest] = this.#nearestFolder(tree, path);
    const names = rest.split('/');
    const last = names.pop() ?? '';
    const folder = await this.#walkTo(start, names);
    // Whoever asks for one of a folder's files, or of a folder below, begins there: a path is not walked for each.
    if (names.length > 0) this.#keepEntry(tree, path.slice(0, -last.length - 1), folder);
    const entry = folder && (await this.#walkTo(folder, [last]));
    this.#keepEntry(tree, path, entry);
    return entry;
  }

  /** The entry of one name in a folder. Half a million names make it too large to be held: git looks the one up then. */
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

  /** The deepest folder on the way to a path that was walked to before, and what is left of the path below it. */
  #nearestFolder(tree: string, path: string): [TreeEntry, string] {
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      const known = this.#entries.get(tree + path.slice(0, slash));
      if (known && known !== 'none') return [known, path.slice(slash + 1)];
    }
    return [{ mode: '040000', name: '', oid: tree }, path];
  }

  /** The bytes of a small blob; null when there is none, ObjectTooLargeError beyond `limit`. */
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

  /** A blob of any size as a stream with back-pressure; null when there is none. */
  async blobStream(oid: string, signal?: AbortSignal): Promise<{ size: number; stream: Readable } | null> {
    const info = await this.info(oid);
    if (info.status !== 'found' || info.type !== 'blob') return null;
    if (info.size > SHARED_READ_BYTES) return { size: info.size, stream: await this.#stream(oid, signal) };
    const data = await this.blob(oid);
    return data && { size: data.length, stream: Readable.from([data]) };
  }

  /** The bytes of a commit, tree or tag as stored, such as a signature covers; null when there is none. */
  async raw(oid: string): Promise<{ type: ObjectType; data: Buffer } | null> {
    const answer = await this.#pool.contents(this.repo, oid);
    if (answer.status === 'too-large') throw tooLarge(answer);
    return answer.status === 'found' ? { type: answer.type, data: answer.data } : null;
  }

  /** Takes an object that was just written into the cache. */
  remember({ oid, type, data }: NewObject): void {
    if (type === 'commit') this.#commits.set(oid, parseCommit(oid, data), textCost(data.length));
    if (type !== 'tree') return;
    const tree = new Tree(oid, data);
    this.#trees.set(oid, tree, tree.bytes);
  }

  async #parsed<T>(
    oid: string,
    type: ObjectType,
    shelf: Shelf<T>,
    parse: (oid: string, raw: Buffer) => T,
    cost: (size: number, value: T) => number,
  ): Promise<T | null> {
    const cached = shelf.get(oid);
    if (cached) return cached;
    if (!isObjectId(oid)) return null;
    const found = await this.#pool.contents(this.repo, oid);
    if (found.status === 'missing' || found.status === 'ambiguous' || found.type !== type) return null;
    if (found.status === 'too-large' && type === 'tree') throw tooLarge(found);
    const data = found.status === 'found' ? found.data : found.beginning;
    const value = parse(oid, data);
    shelf.set(oid, value, cost(data.length, value));
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
    if (answer.status !== 'found') throw new GitError(`object ${oid} vanished while it was read`, {});
    return answer.data;
  }

  async #stream(oid: string, signal?: AbortSignal): Promise<Readable> {
    // In the transport lane, since a slow client may hold it for long.
    const git = await spawnGit(this.repo, { name: 'cat-file', args: ['blob', oid] }, { signal, lane: 'transport' });
    git.stdin.end();
    git.done.catch((error: Error) => git.stdout.destroy(error));
    // A reader that turns away must not leave git waiting for it.
    finished(git.stdout).catch(() => git.kill());
    return git.stdout;
  }
}

// Parsed commits and tags take some hundreds of bytes more than their texts.
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
