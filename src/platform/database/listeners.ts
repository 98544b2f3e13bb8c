/** Listeners to every executed statement, such as a test that counts queries; usually there are none. */
export class QueryListeners {
  readonly #listeners = new Set<(sql: string) => void>();
  /** Checked before `emit`, so that without listeners a statement costs one comparison. */
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
