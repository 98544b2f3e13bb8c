import type { DatabaseSync } from 'node:sqlite';
import type { SqliteConnection } from './sqlite-connection.ts';

/**
 * Transactions that are committed as one. The cost of a SQLite commit hardly depends on how much was written: each
 * writes whole pages, mostly the same ones as the previous commit, and invalidates cached reads. A failing member is
 * rolled back alone; if the commit fails, all members are rolled back and rejected.
 */
export class SqliteGroup {
  readonly #db: DatabaseSync;
  readonly #writing: SqliteConnection;
  readonly #ended = Promise.withResolvers<void>();
  #members = 0;

  /** The connection must have begun a transaction. */
  constructor(db: DatabaseSync, writing: SqliteConnection) {
    this.#db = db;
    this.#writing = writing;
    // Each member receives a failure through its own promise; a group whose members have all failed has no listener.
    this.#ended.promise.catch(() => undefined);
  }

  /** Resolves once the members are durable. */
  get durable(): Promise<void> {
    return this.#ended.promise;
  }

  /** Number of members that have written and not failed. */
  get members(): number {
    return this.#members;
  }

  /** Whether the transaction was already rolled back, as some errors (disk full, out of memory) do. */
  get lost(): boolean {
    return !this.#db.isTransaction;
  }

  /** Runs the work of one member, which is rolled back if it fails. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    this.#writing.exec('savepoint member');
    try {
      const value = await work();
      this.#writing.exec('release member');
      this.#members += 1;
      return value;
    } catch (error) {
      if (this.lost) this.#ended.reject(error);
      else this.#undo();
      throw error;
    }
  }

  #undo(): void {
    this.#writing.exec('rollback to member');
    this.#writing.exec('release member');
  }

  /** Commits the group; the members resolve when `settled`, called after the commit, does. */
  end(settled: () => Promise<void>): void {
    if (this.lost) return;
    try {
      if (this.#members > 0) this.#writing.indexDue();
      this.#writing.exec(this.#members > 0 ? 'commit' : 'rollback');
      this.#ended.resolve(settled());
    } catch (error) {
      if (!this.lost) this.#writing.exec('rollback');
      this.#ended.reject(error);
    }
  }
}
