import type { LogOptions, WithProcessSlot } from '../history/log.ts';
import type { CacheNamespace, ObjectCache } from './cache.ts';

/** Results derived from the objects of one repository, cached under the shared byte budget. */
export class DerivedResults {
  readonly #cache: ObjectCache;
  readonly #scope: string;
  readonly #namespaces = new Map<string, CacheNamespace<{ readonly value: unknown }>>();

  /** `scope` separates the results of this repository from those of others. */
  constructor(cache: ObjectCache, scope: string) {
    this.#cache = cache;
    this.#scope = scope;
  }

  /** Returns a result that depends only on object ids, computing it once. `kind` and `ids` form the cache key. */
  async derived<T>(kind: string, ids: string, bytes: (value: T) => number, work: () => Promise<T>): Promise<T> {
    const cached = this.#namespace(kind).get(ids);
    if (cached) return cached.value as T;
    const value = await work();
    this.keep(kind, ids, bytes(value), value);
    return value;
  }

  /**
   * Like `derived`, for work that waits for a free slot. Checks the cache again afterwards, because the previous holder
   * may have computed the same result.
   */
  derivedSlowly<T>(
    kind: string,
    ids: string,
    bytes: (value: T) => number,
    slowly: WithProcessSlot,
    work: (limits: LogOptions) => Promise<T>,
  ): Promise<T> {
    const once = (limits: LogOptions) => {
      const known = this.known<T>(kind, ids);
      return known === undefined ? work(limits) : Promise.resolve(known);
    };
    return this.derived(kind, ids, bytes, () => slowly(once));
  }

  /** Returns a cached result. */
  known<T>(kind: string, ids: string): T | undefined {
    return this.#namespace(kind).get(ids)?.value as T | undefined;
  }

  /** Stores a result found while computing another one. */
  keep<T>(kind: string, ids: string, bytes: number, value: T): void {
    this.#namespace(kind).set(ids, { value }, bytes + ids.length);
  }

  #namespace(kind: string): CacheNamespace<{ readonly value: unknown }> {
    const known = this.#namespaces.get(kind);
    if (known) return known;
    const namespace = this.#cache.namespace<{ readonly value: unknown }>(`${this.#scope} = ${kind}`);
    this.#namespaces.set(kind, namespace);
    return namespace;
  }
}
