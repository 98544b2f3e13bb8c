import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Services } from '../../access/services.ts';

/** A kept archive, opened: it stays readable even if it is cleaned away meanwhile. */
export interface Kept {
  readonly file: FileHandle;
  readonly size: number;
}

const PART = '.part';
const hour = 60 * 60 * 1000;
const oldest = 24 * hour;
const refreshAfter = hour / 6;

/**
 * Archives kept on disk under a budget, by a key of what they hold: commit, format, options. Nothing depends on them:
 * they may be removed at any time.
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

  /** The archive of a key, if it is kept; the caller closes it. */
  async open(key: string): Promise<Kept | undefined> {
    const file = await open(join(this.#folder, key), 'r').catch(absent);
    if (!file) return undefined;
    const { size, mtimeMs } = await file.stat();
    const now = Date.now();
    // What is asked for stays longest.
    if (now - mtimeMs > refreshAfter) await file.utimes(now / 1000, now / 1000);
    return { file, size };
  }

  /** Keeps a stream while it is read; what is not read to its end, or `isWhole` denies then, is forgotten. */
  keep(key: string, source: Readable, isWhole: () => boolean): Readable {
    return Readable.from(this.#through(key, source, isWhole), { objectMode: false });
  }

  /** Removes what is too old, what nobody finished, and the least recently used beyond the budget. */
  async trim(now = Date.now()): Promise<void> {
    this.#added = 0;
    const names = (await readdir(this.#folder).catch(absent)) ?? [];
    const files: { path: string; size: number; used: number }[] = [];
    for (const name of names) {
      const path = join(this.#folder, name);
      const found = await stat(path).catch(absent);
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

/** Where the archives of a server are kept. */
export function archiveCache({ config, log }: Services): ArchiveCache {
  return new ArchiveCache(join(config.data, 'tmp', 'archives'), config.archiveCache, (error) =>
    log.error({ err: error }, 'an archive could not be kept'),
  );
}

/** One archive being written. A disk that is full must not spoil the download: from then on nothing is written. */
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

/** For what may be cleaned away meanwhile: nothing there is nothing. */
export function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
