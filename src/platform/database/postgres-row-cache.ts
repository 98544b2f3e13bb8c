import { rowKey } from './row-cache.ts';
import type { Prepared } from './session.ts';

type Row = Record<string, unknown>;

const maxEntriesPerStatement = 2000;
const maxCachedRows = 100;

/** Identifies the set of finished transactions in PostgreSQL: the same text until one starts writing or ends. */
export const stampQuery = 'select pg_current_snapshot()::text as stamp';

/**
 * Reuses rows until a transaction ends anywhere on the server. What nearly every request reads (the owner of a token,
 * the project, the role) then costs one short query, shared by all concurrent requests, instead of one statement each.
 *
 * Commits of this process are visible to the next read. Commits of other processes are visible to reads that start
 * after the answer to the running query, at most one round trip later.
 */
export class PostgresRowCache {
  readonly #readStamp: () => Promise<string>;
  #cached: (Map<unknown, Row[]> | undefined)[] = [];
  #stamp: string | undefined;
  #commits = 0;
  #fresh = false;
  #pending: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  readonly #nextTurn = () => {
    this.#fresh = false;
  };

  /** `readStamp` executes `stampQuery`. */
  constructor(readStamp: () => Promise<string>) {
    this.#readStamp = readStamp;
  }

  /** Must be called after each commit of this process. */
  invalidate(): void {
    this.#commits += 1;
    this.#fresh = false;
  }

  /**
   * Returns the rows for these parameters, reading them if they are not cached; calls `onHit` if they were. The rows are
   * frozen.
   */
  async all(
    prepared: Prepared,
    parameters: readonly unknown[],
    read: () => Promise<Row[]>,
    onHit: () => void,
  ): Promise<Row[]> {
    if (!this.#fresh) await this.#refresh();
    // This process has committed in the meantime: cached rows may be stale.
    if (!this.#fresh) return read();
    const rows = this.#rowsOf(prepared);
    const key = rowKey(parameters);
    const known = rows.get(key);
    if (known) {
      onHit();
      return known;
    }
    const fresh = await read();
    for (const row of fresh) Object.freeze(row);
    // If the stamp has changed in the meantime, this map has already been replaced.
    if (rows.size >= maxEntriesPerStatement) rows.clear();
    if (fresh.length <= maxCachedRows) rows.set(key, fresh);
    return Object.freeze(fresh) as Row[];
  }

  #rowsOf({ id }: Prepared): Map<unknown, Row[]> {
    const known = this.#cached[id];
    if (known) return known;
    const rows = new Map<unknown, Row[]>();
    this.#cached[id] = rows;
    return rows;
  }

  /** A running query started before this call and may miss commits made in between, so the next one is awaited. */
  #refresh(): Promise<void> {
    if (!this.#pending) return this.#send();
    this.#next ??= this.#pending.then(
      () => this.#send(),
      () => this.#send(),
    );
    return this.#next;
  }

  #send(): Promise<void> {
    this.#next = undefined;
    const commits = this.#commits;
    const answered = this.#readStamp().then((stamp) => {
      if (stamp !== this.#stamp) {
        this.#stamp = stamp;
        this.#cached = [];
      }
      if (commits !== this.#commits) return;
      this.#fresh = true;
      setImmediate(this.#nextTurn);
    });
    const sent = answered.finally(() => {
      if (this.#pending === sent) this.#pending = undefined;
    });
    this.#pending = sent;
    return sent;
  }
}
