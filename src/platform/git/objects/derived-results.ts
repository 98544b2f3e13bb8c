import type { LogOptions, Slowly } from '../history/log.ts';
import type { ObjectCache, Shelf } from './cache.ts';

/** What was worked out from the objects of one repository, kept under the cache's budget. */
export class DerivedResults {
  readonly #cache: ObjectCache;
  readonly #scope: string;
  readonly #shelves = new Map<string, Shelf<{ readonly value: unknown }>>();

  /** `scope` sets the results of this repository apart. */
  constructor(cache: ObjectCache, scope: string) {
    this.#cache = cache;
    this.#scope = scope;
  }

  /** A result that depends on object ids alone, worked out once. `kind` and `ids` make its key. */
  async derived<T>(kind: string, ids: string, bytes: (value: T) => number, work: () => Promise<T>): Promise<T> {
    const cached = this.#shelf(kind).get(ids);
    if (cached) return cached.value as T;
    const value = await work();
    this.keep(kind, ids, bytes(value), value);
    return value;
  }

  /** As `derived`, for work that waits for its turn: whoever had the turn before may have done the same. */
  derivedSlowly<T>(
    kind: string,
    ids: string,
    bytes: (value: T) => number,
    slowly: Slowly,
    work: (limits: LogOptions) => Promise<T>,
  ): Promise<T> {
    const once = (limits: LogOptions) => {
      const known = this.known<T>(kind, ids);
      return known === undefined ? work(limits) : Promise.resolve(known);
    };
    return this.derived(kind, ids, bytes, () => slowly(once));
  }

  /** Such a result, if it is at hand. */
  known<T>(kind: string, ids: string): T | undefined {
    return this.#shelf(kind).get(ids)?.value as T | undefined;
  }

  /** Keeps such a result that was found on the way to another. */
  keep<T>(kind: string, ids: string, bytes: number, value: T): void {
    this.#shelf(kind).set(ids, { value }, bytes + ids.length);
  }

  #shelf(kind: string): Shelf<{ readonly value: unknown }> {
    const known = this.#shelves.get(kind);
    if (known) return known;
    const shelf = this.#cache.shelf<{ readonly value: unknown }>(`${this.#scope} = ${kind}`);
    this.#shelves.set(kind, shelf);
    return shelf;
  }
}
