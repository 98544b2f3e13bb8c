import { closeSync, existsSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { LRUCache } from 'lru-cache';
import type { Repository } from '../repository.ts';
import { PackedRefs } from './packed-refs.ts';
import { isSettled } from './stamps.ts';

// A ref file contains an id and a line feed; symbolic refs are left to git.
const bytes = Buffer.alloc(64);
const ID = /^[0-9a-f]{40}\n$/;
const MAX_CACHED = 10_000;

interface Known {
  readonly file: Stats;
  readonly oid: string;
}

/**
 * Reads refs from the repository's own files. Changes by any process are seen, because a cached value is valid only
 * while the file is unchanged. Like git, reads the loose ref first, so that a ref being packed concurrently is seen at
 * least once.
 *
 * Synchronous: a stat takes 3 µs and reading the file 9 µs; asking git through its pipe takes ten times as long.
 */
export class RefReader {
  readonly packed: PackedRefs;
  readonly #now: () => number;
  readonly #loose = new LRUCache<string, Known>({ max: MAX_CACHED });

  constructor(now: () => number = Date.now) {
    this.#now = now;
    this.packed = new PackedRefs(now);
  }

  /**
   * Returns the current target of a ref. The name must have passed `isRefName`. Null when the ref does not exist;
   * undefined when git has to be asked.
   */
  read(repo: Repository, name: string): string | null | undefined {
    // No other file in a repository is a ref, whatever its content looks like.
    if (!name.startsWith('refs/')) return undefined;
    const path = `${repo.path}/${name}`;
    const file = statSync(path, { throwIfNoEntry: false });
    if (file) return this.#readLoose(path, file);
    const found = this.packed.find(repo, name);
    // If the repository does not exist, git reports it.
    return found === null && !existsSync(`${repo.path}/HEAD`) ? undefined : found;
  }

  #readLoose(path: string, file: Stats): string | undefined {
    const known = this.#loose.get(path);
    if (known && isSame(known.file, file)) return known.oid;
    const oid = readId(path);
    // Later writes change the timestamp.
    if (oid === undefined || !isSettled(file, this.#now())) return oid;
    this.#loose.set(path, { file, oid });
    return oid;
  }
}

function isSame(a: Stats, b: Stats): boolean {
  return a.ino === b.ino && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.size === b.size;
}

function readId(path: string): string | undefined {
  try {
    const file = openSync(path, 'r');
    try {
      const text = bytes.toString('latin1', 0, readSync(file, bytes));
      return ID.test(text) ? text.slice(0, 40) : undefined;
    } finally {
      closeSync(file);
    }
  } catch {
    // A folder, or packed at this very moment: left to git.
    return undefined;
  }
}
