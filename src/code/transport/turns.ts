import { ProcessLimit } from '../../platform/git/process/process-limit.ts';

/**
 * Conversations of one repository: so many at once, and some more that wait. One popular repository must not take all
 * the processes that the server may start.
 */
export class RepositoryTurns {
  readonly #limits = new Map<string, { readonly limit: ProcessLimit; users: number }>();
  readonly #running: number;

  constructor(running: number) {
    this.#running = running;
  }

  /** Runs the work when its turn comes; throws `GitBusyError` when too many wait. */
  async take<T>(repository: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    let entry = this.#limits.get(repository);
    if (!entry) {
      entry = { limit: new ProcessLimit({ running: this.#running, waiting: this.#running * 4 }), users: 0 };
      this.#limits.set(repository, entry);
    }
    entry.users++;
    try {
      const release = await entry.limit.take(signal);
      return await work().finally(release);
    } finally {
      if (--entry.users === 0) this.#limits.delete(repository);
    }
  }
}
