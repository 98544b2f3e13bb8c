import type { Services } from '../../access/services.ts';
import { recordFetches } from '../fetch-statistics/public.ts';

/**
 * Counts fetches beside the conversations: nobody waits for the database. What comes while one lot is being written is
 * written with the next.
 */
export class FetchCounter {
  readonly #services: Services;
  #counts = new Map<number, number>();
  #writing: Promise<void> | undefined;

  constructor(services: Services) {
    this.#services = services;
  }

  add(projectId: number): void {
    this.#counts.set(projectId, (this.#counts.get(projectId) ?? 0) + 1);
    this.#writing ??= this.#write();
  }

  /** Resolves when everything counted so far is written. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#counts.size > 0) {
      const counts = this.#counts;
      this.#counts = new Map();
      await recordFetches(this.#services.db, counts).catch((error: unknown) => {
        this.#services.log.error({ err: error }, 'fetches could not be counted');
      });
    }
    this.#writing = undefined;
  }
}
