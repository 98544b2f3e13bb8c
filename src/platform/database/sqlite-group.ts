import type { DatabaseSync } from 'node:sqlite';
import type { SqliteConnection } from './sqlite-connection.ts';

/**
 * Transactions that are committed as one. What a commit takes of SQLite hardly depends on how much was written: each
 * writes whole pages, mostly the same as the one before, and makes all that was read before worth reading anew. Each
 * member is undone by itself where it fails; all are lost where the commit fails, and told so.
 */
export class SqliteGroup {
  readonly #db: DatabaseSync;
  readonly #writing: SqliteConnection;
  readonly #ended = Promise.withResolvers<void>();
  #members = 0;

  /** The connection has begun a transaction. */
  constructor(db: DatabaseSync, writing: SqliteConnection) {
    this.#db = db;
    this.#writing = writing;
    // Each member hears of a failure by itself; a group whose members have all failed has nobody to tell.
    this.#ended.promise.catch(() => undefined);
  }

  /** Resolves once the members are durable. */
  get durable(): Promise<void> {
    return this.#ended.promise;
  }

  /** How many have written, and not failed. */
  get members(): number {
    return this.#members;
  }

  /** Some errors (disk full, out of memory) have rolled everything back already. */
  get lost(): boolean {
    return !this.#db.isTransaction;
  }

  /** Runs the work of one member, which is undone if it fails. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    this.#writing.exec('savepoint member');
    try {
      const value = await work();
      this.#writing.exec('release member');
      this.#members += 1;
      return value;
    } catch (error) {
      if (this.lost) this.#ended.reject(error);
      else this.#writing.exec('rollback to member; release member');
      throw error;
    }
  }

  /** Commits the members, who are told once `settled`, asked for after that, has resolved. */
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
