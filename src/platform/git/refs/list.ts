import { LRUCache } from 'lru-cache';
import { trimTrailing } from '../../trim.ts';
import type { Objects } from '../objects/objects.ts';
import { run } from '../process/command.ts';
import type { Repository } from '../repository.ts';
import { PackedRefs, parsePackedRefs, type Ref } from './packed-refs.ts';
import { isRefName } from './refname.ts';
import { areUnchanged, readLoose, type Stamp } from './stamps.ts';

interface Listing {
  /** Stamps of every folder read for the listing. */
  readonly stamps: ReadonlyMap<string, Stamp>;
  readonly refs: readonly Ref[];
}

const CACHED_LISTINGS = 256;
// Larger lists, and those spread over many folders, are read every time: checking them for changes would not be cheap.
const CACHED_REFS = 20_000;
const CACHED_FOLDERS = 16;
// From this number on, one `git for-each-ref` is faster than individual lookups.
const MANY_LOOSE = 100;

/**
 * Lists refs from the repository's files and its reader, without starting a process. Like git, reads loose refs first
 * and packed ones second, so that a ref being packed concurrently is seen at least once. A listing is cached until one
 * of the files or folders it was read from changes.
 */
export class RefFiles {
  readonly #packed: PackedRefs;
  readonly #listings = new LRUCache<string, Listing>({ max: CACHED_LISTINGS });
  readonly #now: () => number;

  constructor(now: () => number = Date.now, packed = new PackedRefs(now)) {
    this.#now = now;
    this.#packed = packed;
  }

  /** Lists all refs under a prefix such as `refs/heads/`, in the byte order of their names. */
  async list(objects: Objects, prefix: string): Promise<Ref[]> {
    const key = `${objects.repo.path}\0${prefix}`;
    const known = this.#listings.get(key);
    if (known && areUnchanged(known.stamps)) return [...known.refs];
    this.#listings.delete(key);
    const loose = await readLoose(objects.repo.path, trimTrailing(prefix, '/'), this.#now());
    const refs = await this.#read(objects, prefix, loose.names.filter(isRefName));
    if (loose.settled && loose.folders.size <= CACHED_FOLDERS && refs.length <= CACHED_REFS) {
      this.#listings.set(key, { stamps: loose.folders, refs });
    }
    return [...refs];
  }

  async #read(objects: Objects, prefix: string, loose: readonly string[]): Promise<readonly Ref[]> {
    if (loose.length > MANY_LOOSE) return spawnedList(objects.repo, prefix);
    const packed = await this.#packed.list(objects.repo);
    const found = new Map<string, string>();
    for (const ref of packed) if (ref.name.startsWith(prefix)) found.set(ref.name, ref.oid);
    const oids = await Promise.all(loose.map((name) => objects.ref(name)));
    for (const [i, name] of loose.entries()) {
      const oid = oids[i];
      if (oid) found.set(name, oid);
      else found.delete(name);
    }
    return Array.from(found, ([name, oid]) => ({ name, oid })).sort(byName);
  }

  /** Drops the cached listings of a repository. */
  forget(repo: Repository): void {
    this.#packed.forget(repo);
    for (const key of this.#listings.keys()) if (key.startsWith(`${repo.path}\0`)) this.#listings.delete(key);
  }
}

async function spawnedList(repo: Repository, prefix: string): Promise<Ref[]> {
  const flags = ['--format=%(objectname) %(refname)'];
  const { stdout } = await run(repo, { name: 'for-each-ref', flags, args: [prefix] });
  return parsePackedRefs(stdout.toString('utf8')).sort(byName);
}

function byName(a: Ref, b: Ref): number {
  if (a.name === b.name) return 0;
  return Buffer.compare(Buffer.from(a.name), Buffer.from(b.name));
}
