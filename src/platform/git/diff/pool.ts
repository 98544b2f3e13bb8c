import type { Objects } from '../objects/objects.ts';
import { type ResidentCounters, type ResidentLimits, ResidentPool } from '../process/resident-pool.ts';
import type { Repository } from '../repository.ts';
import { EMPTY_TREE } from '../trees/tree.ts';
import { type DiffOptions, type DiffQuery, PATCH_FLAGS, patchOutput } from './diff.ts';
import { DiffReader } from './reader.ts';

const LIMITS: ResidentLimits = {
  total: 16,
  perRepository: 2,
  crowded: 1,
  idleMs: 30_000,
  stallMs: 60_000,
};

/** Long-lived processes that compare trees of the repositories in use. */
export class DiffPool {
  readonly #pool = new ResidentPool(LIMITS, (repo) => new DiffReader(repo, PATCH_FLAGS));

  get counters(): Readonly<ResidentCounters> {
    return this.#pool.counters;
  }

  /** Streams the diff output of git, from an idle process, or from a new one when all are busy. */
  async *output(objects: Objects, query: DiffQuery, options: DiffOptions): AsyncGenerator<Buffer, void> {
    const [from, to] = await Promise.all([treeOf(objects, query.from), treeOf(objects, query.to)]);
    const reader = this.#pool.get(objects.repo);
    if (from && to && reader.load === 0) yield* reader.compare(from, to, options);
    else yield* patchOutput(objects.repo, query, options);
  }

  /** Ends the processes of a repository that was deleted or whose quarantine ended. */
  invalidate(repo: Repository): void {
    this.#pool.invalidate(repo);
  }

  close(): void {
    this.#pool.close();
  }
}

/** Returns the tree of a commit or the tree itself; null when neither exists, so that git reports the error. */
async function treeOf(objects: Objects, id: string | undefined): Promise<string | null> {
  if (id === undefined) return EMPTY_TREE;
  const commit = await objects.commit(id);
  return commit?.tree ?? (await objects.tree(id))?.oid ?? null;
}
