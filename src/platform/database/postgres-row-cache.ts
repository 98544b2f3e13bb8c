import { rowKey } from './row-cache.ts';
import type { Prepared } from './session.ts';

type Row = Record<string, unknown>;

const keptPerStatement = 2000;
const longestKept = 100;

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
  readonly #ask: () => Promise<string>;
  #kept: (Map<unknown, Row[]> | undefined)[] = [];
  #stamp: string | undefined;
  #commits = 0;
  #current = false;
  #underWay: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  readonly #nextTurn = () => {
    this.#current = false;
  };

  /** `ask` executes `stampQuery`. */
  constructor(ask: () => Promise<string>) {
    this.#ask = ask;
  }

  /** Must be called after each commit of this process. */
  outdated(): void {
    this.#commits += 1;
    this.#current = false;
  }

  /**
   * Returns the rows for these parameters, reading them if they are not cached; calls `kept` if they were. The rows are
   * frozen.
   */
  async all(
    prepared: Prepared,
    parameters: readonly unknown[],
    read: () => Promise<Row[]>,
    kept: () => void,
  ): Promise<Row[]> {
    if (!this.#current) await this.#bringUpToDate();
    // This process has committed in the meantime: cached rows may be stale.
    if (!this.#current) return read();
    const rows = this.#rowsOf(prepared);
    const key = rowKey(parameters);
    const known = rows.get(key);
    if (known) {
      kept();
      return known;
    }
    const fresh = await read();
    for (const row of fresh) Object.freeze(row);
    // If the stamp has changed in the meantime, this map has already been replaced.
    if (rows.size >= keptPerStatement) rows.clear();
    if (fresh.length <= longestKept) rows.set(key, fresh);
    return Object.freeze(fresh) as Row[];
  }

  #rowsOf({ id }: Prepared): Map<unknown, Row[]> {
    const known = this.#kept[id];
    if (known) return known;
    const rows = new Map<unknown, Row[]>();
    this.#kept[id] = rows;
    return rows;
  }

  /** A running query started before this call and may miss commits made in between, so the next one is awaited. */
  #bringUpToDate(): Promise<void> {
    if (!this.#underWay) return this.#send();
    this.#next ??= this.#underWay.then(
      () => this.#send(),
      () => this.#send(),
    );
    return this.#next;
  }

  #send(): Promise<void> {
    this.#next = undefined;
    const commits = this.#commits;
    const answered = this.#ask().then((stamp) => {
      if (stamp !== this.#stamp) {
        this.#stamp = stamp;
        this.#kept = [];
      }
      if (commits !== this.#commits) return;
      this.#current = true;
      setImmediate(this.#nextTurn);
    });
    const sent = answered.finally(() => {
      if (this.#underWay === sent) this.#underWay = undefined;
    });
    this.#underWay = sent;
    return sent;
  }
}
