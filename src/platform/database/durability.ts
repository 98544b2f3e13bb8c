import { type FileHandle, open } from 'node:fs/promises';

/**
 * Makes commits durable in groups. With `synchronous=FULL` SQLite would sync the write-ahead log inside each COMMIT,
 * and hold up the event loop for as long as the disk takes. Instead each COMMIT only appends to the log
 * (`synchronous=NORMAL`: the database stays consistent whatever happens), and the log is synced by a thread of the
 * pool before the commit is acknowledged: one sync for all the commits that arrived during the one before.
 */
export class Durability {
  readonly #log: FileHandle;
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #failure: unknown;

  private constructor(log: FileHandle) {
    this.#log = log;
  }

  /** SQLite keeps its log file as long as a connection is open, so the handle stays that of the log. */
  static async of(databaseFile: string): Promise<Durability> {
    return new Durability(await open(`${databaseFile}-wal`, 'r+'));
  }

  /** Throws when a sync has failed: what reached the disk is then unknown, so nothing more may be promised. */
  assertSound(): void {
    if (this.#failure) throw new Error('the database log could not be synced; restart', { cause: this.#failure });
  }

  /** Resolves when every commit made before the call is on disk. */
  settled(): Promise<void> {
    // A sync under way may have begun before the commit was written; only one that begins later covers it.
    this.#next ??= this.#running.then(() => this.#sync());
    return this.#next;
  }

  /** Waits for the syncs asked for. */
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
