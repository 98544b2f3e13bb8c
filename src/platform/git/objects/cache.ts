import { LRUCache } from 'lru-cache';

/** Figures of the cache, read by the metrics. */
export interface CacheCounters {
  hits: number;
  misses: number;
  evictions: number;
  bytes: number;
}

interface Entry {
  readonly shelf: string;
  readonly key: string;
  readonly value: unknown;
  readonly cost: number;
}

// What an entry takes besides its value: its key, the map's slot, the record.
const OVERHEAD = 200;

/**
 * Results that can never change, because their key is made of object ids; the least recently used go first once the
 * budget of bytes is spent. Costs are estimates given by whoever stores a value.
 */
export class ObjectCache {
  readonly counters: CacheCounters = { hits: 0, misses: 0, evictions: 0, bytes: 0 };
  // Only those that hold something: there may be more repositories than anybody counts.
  readonly #shelves = new Map<string, Map<string, Entry>>();
  // By the entry itself, which is found through its shelf: a key of both would have to be put together at each look.
  readonly #used: LRUCache<Entry, true>;

  constructor(budgetBytes: number) {
    this.#used = new LRUCache<Entry, true>({
      maxSize: budgetBytes,
      maxEntrySize: Math.ceil(budgetBytes / 8),
      sizeCalculation: (_, { cost }) => cost,
      dispose: (_, entry, reason) => {
        this.#unshelve(entry);
        if (reason === 'evict') this.counters.evictions++;
      },
    });
  }

  /** The values of one kind of one repository. */
  shelf<T>(name: string): Shelf<T> {
    return new Shelf(this, name);
  }

  /** The value stored under a key of a shelf; the caller knows its type from the shelf. */
  get(shelf: string, key: string): unknown {
    const entry = this.#shelves.get(shelf)?.get(key);
    if (!entry) {
      this.counters.misses++;
      return undefined;
    }
    this.counters.hits++;
    this.#used.get(entry);
    return entry.value;
  }

  /** Stores a value; one that would take more than an eighth of the budget is not kept. */
  set(shelf: string, key: string, value: unknown, bytes: number): void {
    const known = this.#shelves.get(shelf)?.get(key);
    if (known) this.#used.delete(known);
    const entry: Entry = { shelf, key, value, cost: Math.ceil(bytes) + OVERHEAD };
    if (this.#used.set(entry, true).has(entry)) this.#place(entry);
    this.counters.bytes = this.#used.calculatedSize;
  }

  /** Drops everything on the shelves whose names begin so: nobody can ask for it any more. */
  forget(beginning: string): void {
    for (const [name, entries] of this.#shelves) {
      if (name.startsWith(beginning)) for (const entry of entries.values()) this.#used.delete(entry);
    }
    this.counters.bytes = this.#used.calculatedSize;
  }

  clear(): void {
    this.#used.clear();
    this.counters.bytes = 0;
  }

  #place(entry: Entry): void {
    const entries = this.#shelves.get(entry.shelf);
    if (entries) entries.set(entry.key, entry);
    else this.#shelves.set(entry.shelf, new Map([[entry.key, entry]]));
  }

  #unshelve({ shelf, key }: Entry): void {
    const entries = this.#shelves.get(shelf);
    entries?.delete(key);
    if (entries?.size === 0) this.#shelves.delete(shelf);
  }
}

/**
 * The values of one kind of one repository. A key is looked up as it is: most are ids that were looked up before, where a
 * text of several parts would have to be put together and hashed each time.
 */
export class Shelf<T> {
  readonly #cache: ObjectCache;
  readonly #name: string;

  constructor(cache: ObjectCache, name: string) {
    this.#cache = cache;
    this.#name = name;
  }

  get(key: string): T | undefined {
    return this.#cache.get(this.#name, key) as T | undefined;
  }

  /** Keeps a value that takes about so many bytes. */
  set(key: string, value: T, bytes: number): void {
    this.#cache.set(this.#name, key, value, bytes);
  }
}
