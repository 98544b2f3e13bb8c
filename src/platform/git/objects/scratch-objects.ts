import { createHash } from 'node:crypto';
import { link, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import type { Repository } from '../repository.ts';
import { syncFolder } from './durable.ts';

const compress = promisify(deflate);

/**
 * A temporary folder for objects that may be discarded: git sees them together with those of the repository, and they
 * are removed unless `keep` is called. `git prune` recognises the folder name and cleans up after a crash.
 */
export class ScratchObjects {
  /** The repository with the scratch objects on top. */
  readonly repo: Repository;
  readonly #folder: string;
  readonly #store: string;
  readonly #throwaway = new Set<string>();

  private constructor(repo: Repository, folder: string, store: string) {
    const alternates = repo.quarantine ? `${store}:${repo.quarantine.alternates}` : store;
    this.repo = { path: repo.path, quarantine: { objectDirectory: folder, alternates } };
    this.#folder = folder;
    this.#store = store;
  }

  /** Runs `work` with scratch objects and removes those it did not keep. */
  static async use<T>(repo: Repository, work: (scratch: ScratchObjects) => Promise<T>): Promise<T> {
    const store = repo.quarantine?.objectDirectory ?? join(repo.path, 'objects');
    const folder = await mkdtemp(join(store, 'tmp_objdir-scratch-'));
    try {
      return await work(new ScratchObjects(repo, folder, store));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Writes a helper object that is never kept. */
  async throwaway(type: 'commit', content: string): Promise<string> {
    const bytes = Buffer.from(`${type} ${Buffer.byteLength(content)}\0${content}`);
    const id = createHash('sha1').update(bytes).digest('hex');
    this.#throwaway.add(id);
    await mkdir(join(this.#folder, id.slice(0, 2)), { recursive: true });
    await writeFile(join(this.#folder, id.slice(0, 2), id.slice(2)), await compress(bytes));
    return id;
  }

  /**
   * Moves the objects that git wrote into the repository's own store and syncs the folders. git has synced the files.
   */
  async keep(): Promise<void> {
    const folders = (await readdir(this.#folder)).filter((name) => /^[0-9a-f]{2}$/.test(name));
    let created = false;
    for (const name of folders) {
      const files = (await readdir(join(this.#folder, name))).filter((rest) => this.#isKept(name, rest));
      if (files.length === 0) continue;
      const target = join(this.#store, name);
      created = (await mkdir(target, { recursive: true })) !== undefined || created;
      for (const file of files) await linkNew(join(this.#folder, name, file), join(target, file));
      await syncFolder(target);
    }
    if (created) await syncFolder(this.#store);
  }

  #isKept(folder: string, rest: string): boolean {
    return /^[0-9a-f]{38,62}$/.test(rest) && !this.#throwaway.has(folder + rest);
  }
}

async function linkNew(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    // Another writer created the same object: equal names mean equal contents.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
