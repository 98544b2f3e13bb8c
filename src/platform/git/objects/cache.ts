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
  older: Entry;
  newer: Entry;
}

// What an entry takes besides its value: its key, the map's slot, the record.
const OVERHEAD = 200;

/**
 * Results that can never change, because their key is made of object ids; the least recently used go first once the
 * budget of bytes is spent. Costs are estimates given by whoever stores a value.
 */
export class ObjectCache {
  readonly counters: CacheCounters = { hits: 0, misses: 0, evictions: 0, bytes: 0 };
  readonly #budget: number;
  // Only those that hold something: there may be more repositories than anybody counts.
  readonly #shelves = new Map<string, Map<string, Entry>>();
  // A ring in the order of use. Taking entries out of a map and putting them back would keep the same order, but leaves the
  // map a slot poorer at each hit: it was copied, megabytes at a time, every few thousand reads.
  readonly #ring: Entry;

  constructor(budgetBytes: number) {
    this.#budget = budgetBytes;
    const ring = { shelf: '', key: '', value: undefined, cost: 0 } as Entry;
    ring.older = ring;
    ring.newer = ring;
    this.#ring = ring;
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
    if (this.#ring.older !== entry) {
      unlink(entry);
      this.#link(entry);
    }
    return entry.value;
  }

  /** Stores a value; one that would take more than an eighth of the budget is not kept. */
  set(shelf: string, key: string, value: unknown, bytes: number): void {
    const cost = bytes + OVERHEAD;
    if (cost > this.#budget / 8) return;
    const known = this.#shelves.get(shelf)?.get(key);
    if (known) this.#drop(known);
    const entry = { shelf, key, value, cost } as Entry;
    this.#place(entry);
    this.#link(entry);
    this.counters.bytes += cost;
    while (this.counters.bytes > this.#budget) {
      this.#drop(this.#ring.newer);
      this.counters.evictions++;
    }
  }

  /** Drops everything on the shelves whose names begin so: nobody can ask for it any more. */
  forget(beginning: string): void {
    for (const [name, entries] of this.#shelves) {
      if (name.startsWith(beginning)) for (const entry of entries.values()) this.#drop(entry);
    }
  }

  clear(): void {
    this.#shelves.clear();
    this.#ring.older = this.#ring;
    this.#ring.newer = this.#ring;
    this.counters.bytes = 0;
  }

  #place(entry: Entry): void {
    const entries = this.#shelves.get(entry.shelf);
    if (entries) entries.set(entry.key, entry);
    else this.#shelves.set(entry.shelf, new Map([[entry.key, entry]]));
  }

  /** Makes an entry the newest: the ring's own place lies between the newest and the oldest. */
  #link(entry: Entry): void {
    const newest = this.#ring.older;
    entry.older = newest;
    entry.newer = this.#ring;
    newest.newer = entry;
    this.#ring.older = entry;
  }

  #drop(entry: Entry): void {
    const entries = this.#shelves.get(entry.shelf);
    entries?.delete(entry.key);
    if (entries?.size === 0) this.#shelves.delete(entry.shelf);
    unlink(entry);
    this.counters.bytes -= entry.cost;
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

function unlink(entry: Entry): void {
  entry.older.newer = entry.newer;
  entry.newer.older = entry.older;
}
