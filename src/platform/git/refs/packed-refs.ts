import { readFileSync, type Stats, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { Repository } from '../repository.ts';
import { isSettled, type Stamp, stampOf } from './stamps.ts';

/** A ref and the object it points to. */
export interface Ref {
  /** Full name. */
  readonly name: string;
  readonly oid: string;
}

interface File {
  readonly stamp: Stamp;
  readonly refs: readonly Ref[];
  byName?: ReadonlyMap<string, string>;
}

const LINE = /^([0-9a-f]{40}) (\S.*)$/;
const CACHED_FILES = 64;
// Total over all files.
const CACHED_REFS = 100_000;
// A larger file is searched by git, which reads only the part it needs.
const SEARCHED_BYTES = 256 * 1024;

/** The `packed-refs` files of the repositories in use, each cached until the file changes. */
export class PackedRefs {
  readonly #files = new LRUCache<string, File>({
    max: CACHED_FILES,
    maxSize: CACHED_REFS,
    sizeCalculation: ({ refs }) => Math.max(refs.length, 1),
  });
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Lists all packed refs of a repository. */
  async list(repo: Repository): Promise<readonly Ref[]> {
    const path = fileOf(repo);
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found) return [];
    const known = this.#files.get(path);
    if (known?.stamp === stampOf(found)) return known.refs;
    return this.#keep(path, found, parsePackedRefs(await readFile(path, 'utf8'))).refs;
  }

  /** Returns the target of a packed ref; null when it does not exist, undefined when git has to be asked. */
  find(repo: Repository, name: string): string | null | undefined {
    const path = fileOf(repo);
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found) return null;
    const known = this.#files.get(path);
    if (known?.stamp === stampOf(found)) return search(known, name);
    if (found.size > SEARCHED_BYTES || !isSettled(found, this.#now())) return undefined;
    return search(this.#keep(path, found, parsePackedRefs(readFileSync(path, 'utf8'))), name);
  }

  /** Drops the cached file of a repository. */
  forget(repo: Repository): void {
    this.#files.delete(fileOf(repo));
  }

  #keep(path: string, before: Stats, refs: readonly Ref[]): File {
    const file = { stamp: stampOf(before), refs };
    this.#files.delete(path);
    const after = statSync(path, { throwIfNoEntry: false });
    // Only then does the stamp match the content read, and no later change can have the same stamp.
    if (stampOf(after) === file.stamp && isSettled(before, this.#now())) this.#files.set(path, file);
    return file;
  }
}

function fileOf(repo: Repository): string {
  return join(repo.path, 'packed-refs');
}

function search(file: File, name: string): string | null {
  file.byName ??= new Map(file.refs.map((ref) => [ref.name, ref.oid]));
  return file.byName.get(name) ?? null;
}

/** Parses lines of `id name`, as in a packed-refs file; `#` and `^` lines contain no ref names. */
export function parsePackedRefs(text: string): Ref[] {
  const refs: Ref[] = [];
  for (const line of text.split('\n')) {
    const found = LINE.exec(line);
    // A name that is not UTF-8 could not be looked up again; pushes of such names are rejected.
    if (found?.[1] && found[2] && !found[2].includes('\ufffd')) refs.push({ oid: found[1], name: found[2] });
  }
  return refs;
}
