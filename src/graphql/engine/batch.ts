/**
 * Batches lookups of the same turn of the event loop. Results are not cached, because they may change within a request.
 */
export class Batch<K, V> {
  readonly #load: (keys: readonly K[]) => Promise<ReadonlyMap<K, V>>;
  #next: { readonly keys: Set<K>; readonly found: Promise<ReadonlyMap<K, V>> } | undefined;

  constructor(load: (keys: readonly K[]) => Promise<ReadonlyMap<K, V>>) {
    this.#load = load;
  }

  async get(key: K): Promise<V | undefined> {
    this.#next ??= this.#begin();
    const { keys, found } = this.#next;
    keys.add(key);
    return (await found).get(key);
  }

  #begin() {
    const keys = new Set<K>();
    const found = new Promise((begin) => setImmediate(begin)).then(() => {
      this.#next = undefined;
      return this.#load([...keys]);
    });
    return { keys, found };
  }
}
