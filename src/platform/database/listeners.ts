/** Those who want to see every statement; a test that counts queries, as a rule nobody. */
export class QueryListeners {
  readonly #listeners = new Set<(sql: string) => void>();
  /** Read before `emit`, so that nobody listening costs one comparison. */
  active = false;

  add(listener: (sql: string) => void): () => void {
    this.#listeners.add(listener);
    this.active = true;
    return () => {
      this.#listeners.delete(listener);
      this.active = this.#listeners.size > 0;
    };
  }

  emit(sql: string): void {
    for (const listener of this.#listeners) listener(sql);
  }
}
