import type { Repository } from '../process/command.ts';
import { type ResidentCounters, type ResidentLimits, ResidentPool } from '../process/resident-pool.ts';
import type { ObjectContents, ObjectInfo } from './object.ts';
import { ObjectReader } from './reader.ts';

export const READER_LIMITS: ResidentLimits = { total: 64, perRepository: 2, idleMs: 60_000, stallMs: 30_000 };

/** Long-lived object readers of the repositories in use. */
export class ReaderPool {
  readonly #pool: ResidentPool<ObjectReader>;

  constructor(limits: ResidentLimits = READER_LIMITS) {
    this.#pool = new ResidentPool(limits, (repo) => new ObjectReader(repo));
  }

  get counters(): Readonly<ResidentCounters> {
    return this.#pool.counters;
  }

  info(repo: Repository, spec: string): Promise<ObjectInfo> {
    return this.#pool.get(repo).info(spec);
  }

  contents(repo: Repository, spec: string): Promise<ObjectContents> {
    return this.#pool.get(repo).contents(spec);
  }

  /** Ends the readers of a repository that was deleted or whose quarantine ended. */
  invalidate(repo: Repository): void {
    this.#pool.invalidate(repo);
  }

  close(): void {
    this.#pool.close();
  }
}
