import { LRUCache } from 'lru-cache';

/** Cache counters for the metrics. */
export interface CacheCounters {
  hits: number;
  misses: number;
  evictions: number;
  bytes: number;
}

interface Entry {
  readonly namespace: string;
  readonly key: string;
  readonly value: unknown;
  readonly cost: number;
}

// Memory of an entry besides its value: key, map slot and record.
const OVERHEAD = 200;

/**
 * Cache of results that never change, because their keys consist of object ids. The least recently used entries are
 * evicted once the byte budget is spent. Costs are estimates provided by the caller.
 */
export class ObjectCache {
  readonly counters: CacheCounters = { hits: 0, misses: 0, evictions: 0, bytes: 0 };
  // Only non-empty namespaces, because the number of repositories is unbounded.
  readonly #namespaces = new Map<string, Map<string, Entry>>();
  // Keyed by the entry object, found through its namespace: a combined key would have to be built for every lookup.
  readonly #used: LRUCache<Entry, true>;

  constructor(budgetBytes: number) {
    this.#used = new LRUCache<Entry, true>({
      maxSize: budgetBytes,
      maxEntrySize: Math.ceil(budgetBytes / 8),
      sizeCalculation: (_, { cost }) => cost,
      dispose: (_, entry, reason) => {
        this.#unlink(entry);
        if (reason === 'evict') this.counters.evictions++;
      },
    });
  }

  /** Returns the namespace of one kind of values of one repository. */
  namespace<T>(name: string): CacheNamespace<T> {
    return new CacheNamespace(this, name);
  }

  /** Returns the value stored under a key; the caller knows its type from the namespace. */
  get(namespace: string, key: string): unknown {
    const entry = this.#namespaces.get(namespace)?.get(key);
    if (!entry) {
      this.counters.misses++;
      return undefined;
    }
    this.counters.hits++;
    this.#used.get(entry);
    return entry.value;
  }

  /** Stores a value; values above one eighth of the budget are not cached. */
  set(namespace: string, key: string, value: unknown, bytes: number): void {
    const known = this.#namespaces.get(namespace)?.get(key);
    if (known) this.#used.delete(known);
    const entry: Entry = { namespace, key, value, cost: Math.ceil(bytes) + OVERHEAD };
    if (this.#used.set(entry, true).has(entry)) this.#link(entry);
    this.counters.bytes = this.#used.calculatedSize;
  }

  /** Drops all namespaces whose names start with a prefix: their keys are never used again. */
  forget(beginning: string): void {
    for (const [name, entries] of this.#namespaces) {
      if (name.startsWith(beginning)) for (const entry of entries.values()) this.#used.delete(entry);
    }
    this.counters.bytes = this.#used.calculatedSize;
  }

  clear(): void {
    this.#used.clear();
    this.counters.bytes = 0;
  }

  #link(entry: Entry): void {
    const entries = this.#namespaces.get(entry.namespace);
    if (entries) entries.set(entry.key, entry);
    else this.#namespaces.set(entry.namespace, new Map([[entry.key, entry]]));
  }

  #unlink({ namespace, key }: Entry): void {
    const entries = this.#namespaces.get(namespace);
    entries?.delete(key);
    if (entries?.size === 0) this.#namespaces.delete(namespace);
  }
}

/**
 * The cached values of one kind of one repository. Keys are used as they are: most are ids with a cached hash, whereas
 * a composite string would have to be built and hashed on every lookup.
 */
export class CacheNamespace<T> {
  readonly #cache: ObjectCache;
  readonly #name: string;

  constructor(cache: ObjectCache, name: string) {
    this.#cache = cache;
    this.#name = name;
  }

  get(key: string): T | undefined {
    return this.#cache.get(this.#name, key) as T | undefined;
  }

  /** Stores a value of about this size. */
  set(key: string, value: T, bytes: number): void {
    this.#cache.set(this.#name, key, value, bytes);
  }
}
