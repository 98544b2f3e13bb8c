import type { Objects } from '../objects/objects.ts';
import { type ResidentCounters, type ResidentLimits, ResidentPool } from '../process/resident-pool.ts';
import type { Repository } from '../repository.ts';
import { RefFiles } from './list.ts';
import type { Ref } from './packed-refs.ts';
import { RefReader } from './reader.ts';
import { isObjectId, isRefName } from './refname.ts';
import type { RefUpdate, RefUpdateResult } from './update.ts';
import { RefWriter } from './writer.ts';

export type { Ref } from './packed-refs.ts';
export { NULL_ID, type RefUpdate, type RefUpdateResult } from './update.ts';

export const REF_WRITER_LIMITS: ResidentLimits = { total: 32, perRepository: 1, idleMs: 30_000, stallMs: 30_000 };

/** Lists and updates the refs of the repositories in use. */
export class Refs {
  /** Shared with the readers of single refs. */
  readonly reader = new RefReader();
  readonly #files = new RefFiles(Date.now, this.reader.packed);
  readonly #writers: ResidentPool<RefWriter>;

  constructor(limits: ResidentLimits = REF_WRITER_LIMITS) {
    this.#writers = new ResidentPool(limits, (repo) => new RefWriter(repo));
  }

  get counters(): Readonly<ResidentCounters> {
    return this.#writers.counters;
  }

  /** Lists all refs under a prefix such as `refs/heads/`, in the byte order of their names. */
  list(objects: Objects, prefix: string): Promise<Ref[]> {
    return this.#files.list(objects, prefix);
  }

  /** Returns the object that a ref points to (tag objects are not peeled); null when the ref does not exist. */
  read(objects: Objects, ref: string): Promise<string | null> {
    return objects.ref(ref);
  }

  /** Updates refs atomically, each only if it still has the value the caller read. */
  async update(objects: Objects, updates: readonly RefUpdate[]): Promise<RefUpdateResult> {
    if (updates.length === 0) return { status: 'ok' };
    const refused = refusedUpdate(updates);
    if (refused) return { status: 'invalid', ref: refused, message: 'malformed ref name or object id' };
    try {
      return await this.#writers.get(objects.repo).update(updates);
    } catch (error) {
      // The process died without answering, but may have committed the transaction before.
      if (await this.#happened(objects, updates)) return { status: 'ok' };
      throw error;
    }
  }

  /** Ends the process of a repository and drops what was cached of it. */
  invalidate(repo: Repository): void {
    this.#files.forget(repo);
    this.#writers.invalidate(repo);
  }

  close(): void {
    this.#writers.close();
  }

  async #happened(objects: Objects, updates: readonly RefUpdate[]): Promise<boolean> {
    const now = await Promise.all(updates.map((update) => this.read(objects, update.ref)));
    return updates.every((update, i) => now[i] === update.new);
  }
}

function refusedUpdate(updates: readonly RefUpdate[]): string | null {
  const seen = new Set<string>();
  for (const { ref, old, new: value } of updates) {
    const ids = [old, value].filter((id) => id !== null && id !== undefined);
    if (!isRefName(ref) || !ref.startsWith('refs/') || seen.has(ref) || !ids.every(isObjectId)) return ref;
    seen.add(ref);
  }
  return null;
}
