/** Figures of the cache, read by the metrics. */
export interface CacheCounters {
  hits: number;
  misses: number;
  evictions: number;
  bytes: number;
}

interface Entry {
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
  readonly #budget: number;
  readonly #entries = new Map<string, Entry>();

  constructor(budgetBytes: number) {
    this.#budget = budgetBytes;
  }

  /** The value stored under a key; the caller knows its type from the key. */
  get<T>(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (!entry) {
      this.counters.misses++;
      return undefined;
    }
    this.counters.hits++;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value as T;
  }

  /** Stores a value; one that would take more than an eighth of the budget is not kept. */
  set(key: string, value: unknown, bytes: number): void {
    const cost = bytes + OVERHEAD;
    if (cost > this.#budget / 8) return;
    this.#drop(key);
    this.#entries.set(key, { value, cost });
    this.counters.bytes += cost;
    for (const oldest of this.#entries.keys()) {
      if (this.counters.bytes <= this.#budget) return;
      this.#drop(oldest);
      this.counters.evictions++;
    }
  }

  clear(): void {
    this.#entries.clear();
    this.counters.bytes = 0;
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.counters.bytes -= entry.cost;
  }
}
