import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifMissing } from '../../missing.ts';
import type { Repository } from '../repository.ts';

/** A file of a repository, with its relative path. */
export interface RepositoryFile {
  readonly path: string;
  readonly bytes: number;
  readonly mtime: number;
}

/** Yields every file of a repository, skipping those deleted concurrently. */
export async function* filesOf(
  repo: Repository,
  below = '',
  signal?: AbortSignal,
): AsyncGenerator<RepositoryFile, void> {
  signal?.throwIfAborted();
  const entries = await readdir(join(repo.path, below), { withFileTypes: true }).catch(ifMissing);
  for (const entry of entries ?? []) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) {
      yield* filesOf(repo, path, signal);
      continue;
    }
    const found = await stat(join(repo.path, path)).catch(ifMissing);
    if (found) yield { path, bytes: found.size, mtime: found.mtimeMs };
  }
}

/** Accumulates statistics on the objects and refs of a repository, one file at a time. */
export class HealthTally {
  size = 0;
  readonly loose = { count: 0, bytes: 0, stale: 0, staleBytes: 0, garbage: 0 };
  readonly refs = { loose: 0, packedBytes: 0 };
  /** The size of each pack, by its name without extension. */
  readonly packs = new Map<string, number>();
  /** For each extension, the names of the packs that have such a file. */
  readonly beside = new Map<string, Set<string>>();
  readonly #staleBefore: number;

  constructor(staleBefore: number) {
    this.#staleBefore = staleBefore;
  }

  add({ path, bytes, mtime }: RepositoryFile): void {
    this.size += bytes;
    const [top, second = '', name = ''] = path.split('/');
    if (top === 'refs') this.refs.loose += path.endsWith('.lock') ? 0 : 1;
    else if (path === 'packed-refs') this.refs.packedBytes = bytes;
    else if (top === 'objects' && second === 'pack') this.#addPackFile(name, bytes);
    else if (top === 'objects' && /^[0-9a-f]{2}$/.test(second)) this.#addLoose(name, bytes, mtime);
  }

  /** Returns the names of the packs that have a file with this extension. */
  with(ending: string): string[] {
    return [...(this.beside.get(ending) ?? [])].filter((name) => this.packs.has(name));
  }

  bytesOf(names: readonly string[]): number {
    return names.reduce((sum, name) => sum + (this.packs.get(name) ?? 0), 0);
  }

  #addPackFile(file: string, bytes: number): void {
    const [, name, ending] = /^(pack-[0-9a-f]+)\.([a-z]+)$/.exec(file) ?? [];
    if (name === undefined || ending === undefined) return;
    if (ending === 'pack') this.packs.set(name, bytes);
    else this.beside.set(ending, (this.beside.get(ending) ?? new Set()).add(name));
  }

  #addLoose(name: string, bytes: number, mtime: number): void {
    if (!/^[0-9a-f]{38}(?:[0-9a-f]{24})?$/.test(name)) {
      this.loose.garbage++;
      return;
    }
    this.loose.count++;
    this.loose.bytes += bytes;
    if (mtime >= this.#staleBefore) return;
    this.loose.stale++;
    this.loose.staleBytes += bytes;
  }
}
