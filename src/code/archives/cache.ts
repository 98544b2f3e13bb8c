import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Services } from '../../access/services.ts';

/** An open cache entry. It stays readable even if it is removed from the cache meanwhile. */
export interface CachedArchive {
  readonly file: FileHandle;
  readonly size: number;
}

const PART = '.part';
const hour = 60 * 60 * 1000;
const oldest = 24 * hour;
const refreshAfter = hour / 6;

/**
 * A size-limited disk cache of archives, keyed by everything that decides their content: commit, format and options.
 * Entries may be removed at any time.
 */
export class ArchiveCache {
  readonly #folder: string;
  readonly #budget: number;
  readonly #failed: (error: unknown) => void;
  #added = 0;

  constructor(folder: string, budget: number, failed: (error: unknown) => void) {
    this.#folder = folder;
    this.#budget = budget;
    this.#failed = failed;
  }

  /** Returns the archive stored under a key, if any. The caller closes its file. */
  async open(key: string): Promise<CachedArchive | undefined> {
    const file = await open(join(this.#folder, key), 'r').catch(ignoreMissingFile);
    if (!file) return undefined;
    const { size, mtimeMs } = await file.stat();
    const now = Date.now();
    // Touch the entry on access: eviction is least recently used.
    if (now - mtimeMs > refreshAfter) await file.utimes(now / 1000, now / 1000);
    return { file, size };
  }

  /**
   * Passes a stream through and stores it once fully read. The entry is dropped if the stream is not read to its end,
   * or if `isWhole` returns false then.
   */
  keep(key: string, source: Readable, isWhole: () => boolean): Readable {
    return Readable.from(this.#through(key, source, isWhole), { objectMode: false });
  }

  /** Removes expired entries, abandoned partial files and, above the budget, the least recently used entries. */
  async trim(now = Date.now()): Promise<void> {
    this.#added = 0;
    const names = (await readdir(this.#folder).catch(ignoreMissingFile)) ?? [];
    const files: { path: string; size: number; used: number }[] = [];
    for (const name of names) {
      const path = join(this.#folder, name);
      const found = await stat(path).catch(ignoreMissingFile);
      if (!found) continue;
      const age = now - found.mtimeMs;
      if (age > (name.endsWith(PART) ? hour : oldest)) await rm(path, { force: true });
      else if (!name.endsWith(PART)) files.push({ path, size: found.size, used: found.mtimeMs });
    }
    let total = files.reduce((sum, file) => sum + file.size, 0);
    for (const { path, size } of files.sort((a, b) => a.used - b.used)) {
      if (total <= this.#budget) return;
      await rm(path, { force: true });
      total -= size;
    }
  }

  async *#through(key: string, source: Readable, isWhole: () => boolean): AsyncGenerator<Buffer, void> {
    const part = await this.#begin(key);
    let complete = false;
    try {
      for await (const chunk of source) {
        await part.write(chunk as Buffer);
        yield chunk as Buffer;
      }
      complete = true;
    } finally {
      await part.end(complete && isWhole());
    }
  }

  async #begin(key: string): Promise<Part> {
    const path = join(this.#folder, `${key}.${randomUUID()}${PART}`);
    await mkdir(this.#folder, { recursive: true, mode: 0o700 }).catch(this.#failed);
    const part = new Part(path, join(this.#folder, key), this.#budget / 4, this.#failed);
    await part.open();
    part.onKept = (size) => this.#count(size);
    return part;
  }

  async #count(size: number): Promise<void> {
    this.#added += size;
    if (this.#added > this.#budget / 10) await this.trim();
  }
}

/** The archive cache of a server. */
export function archiveCache({ config, log }: Services): ArchiveCache {
  return new ArchiveCache(join(config.data, 'tmp', 'archives'), config.archiveCache, (error) =>
    log.error({ err: error }, 'failed to cache an archive'),
  );
}

/** A cache entry being written. A full disk must not break the download: on the first error, writing stops. */
class Part {
  onKept: (size: number) => Promise<void> = async () => {};
  readonly #path: string;
  readonly #target: string;
  readonly #limit: number;
  readonly #failed: (error: unknown) => void;
  #file: FileHandle | undefined;
  #size = 0;

  constructor(path: string, target: string, limit: number, failed: (error: unknown) => void) {
    this.#path = path;
    this.#target = target;
    this.#limit = limit;
    this.#failed = failed;
  }

  async open(): Promise<void> {
    this.#file = await open(this.#path, 'wx', 0o600).catch((error: unknown) => {
      this.#failed(error);
      return undefined;
    });
  }

  async write(chunk: Buffer): Promise<void> {
    if (!this.#file) return;
    this.#size += chunk.length;
    if (this.#size > this.#limit) return this.end(false);
    await this.#file.writeFile(chunk).catch(async (error: unknown) => {
      this.#failed(error);
      await this.end(false);
    });
  }

  async end(keep: boolean): Promise<void> {
    const file = this.#file;
    if (!file) return;
    this.#file = undefined;
    try {
      await file.close();
      if (!keep) return await rm(this.#path, { force: true });
      await rename(this.#path, this.#target);
      await this.onKept(this.#size);
    } catch (error) {
      this.#failed(error);
    }
  }
}

/** Ignores ENOENT, for files that may be removed concurrently. */
export function ignoreMissingFile(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
