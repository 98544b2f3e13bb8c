/** Figures of the cache, read by the metrics. */
export interface CacheCounters {
  hits: number;
  misses: number;
  evictions: number;
  bytes: number;
}

interface Entry {
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
  readonly #entries = new Map<string, Entry>();
  // A ring in the order of use. Taking entries out of the map and putting them back would keep the same order, but leaves
  // the map a slot poorer at each hit: it was copied, megabytes at a time, every few thousand reads.
  readonly #ring: Entry;

  constructor(budgetBytes: number) {
    this.#budget = budgetBytes;
    const ring = { key: '', value: undefined, cost: 0 } as Entry;
    ring.older = ring;
    ring.newer = ring;
    this.#ring = ring;
  }

  /** The value stored under a key; the caller knows its type from the key. */
  get<T>(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (!entry) {
      this.counters.misses++;
      return undefined;
    }
    this.counters.hits++;
    if (this.#ring.older !== entry) {
      unlink(entry);
      this.#link(entry);
    }
    return entry.value as T;
  }

  /** Stores a value; one that would take more than an eighth of the budget is not kept. */
  set(key: string, value: unknown, bytes: number): void {
    const cost = bytes + OVERHEAD;
    if (cost > this.#budget / 8) return;
    const known = this.#entries.get(key);
    if (known) this.#drop(known);
    const entry = { key, value, cost } as Entry;
    this.#entries.set(key, entry);
    this.#link(entry);
    this.counters.bytes += cost;
    while (this.counters.bytes > this.#budget) {
      this.#drop(this.#ring.newer);
      this.counters.evictions++;
    }
  }

  clear(): void {
    this.#entries.clear();
    this.#ring.older = this.#ring;
    this.#ring.newer = this.#ring;
    this.counters.bytes = 0;
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
    this.#entries.delete(entry.key);
    unlink(entry);
    this.counters.bytes -= entry.cost;
  }
}

function unlink(entry: Entry): void {
  entry.older.newer = entry.newer;
  entry.newer.older = entry.older;
}
