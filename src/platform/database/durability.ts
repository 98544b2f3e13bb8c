import { type FileHandle, open } from 'node:fs/promises';

/**
 * Makes commits durable in groups. With `synchronous=FULL` SQLite would sync the write-ahead log inside each COMMIT and
 * block the event loop while the disk writes. Instead each COMMIT only appends to the log (`synchronous=NORMAL`: the
 * database stays consistent in any case), and a thread of the pool syncs the log before the commit is acknowledged: one
 * sync for all commits that arrived during the previous one.
 */
export class Durability {
  readonly #log: FileHandle;
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #failure: unknown;

  private constructor(log: FileHandle) {
    this.#log = log;
  }

  /** SQLite keeps its log file as long as a connection is open, so the handle stays valid. */
  static async of(databaseFile: string): Promise<Durability> {
    return new Durability(await open(`${databaseFile}-wal`, 'r+'));
  }

  /** Throws after a failed sync: what reached the disk is then unknown, so no further commit may be acknowledged. */
  assertSound(): void {
    if (this.#failure) throw new Error('the database log could not be synced; restart', { cause: this.#failure });
  }

  /** Resolves when every commit made before the call is on disk. */
  settled(): Promise<void> {
    // A sync under way may have begun before the commit was written; only a later one covers it.
    this.#next ??= this.#running.then(() => this.#sync());
    return this.#next;
  }

  /** Waits for the requested syncs. */
  async close(): Promise<void> {
    await Promise.allSettled([this.#next ?? this.#running]);
    await this.#log.close();
  }

  async #sync(): Promise<void> {
    this.#next = undefined;
    const sync = this.#log.datasync();
    this.#running = sync.catch((error: unknown) => {
      this.#failure = error;
    });
    await sync;
  }
}
