import { rowKey } from './row-cache.ts';
import type { Prepared } from './session.ts';

type Row = Record<string, unknown>;

const keptPerStatement = 2000;
const longestKept = 100;

/** How PostgreSQL tells which transactions are over: the same text for as long as none has begun to write or ended. */
export const stampQuery = 'select pg_current_snapshot()::text as stamp';

/**
 * Rows that were read before, handed out again for as long as no transaction of the server ended: what every request
 * asks anew (whose token is this, which project, what role) is asked together with one short question, which all that
 * came in meanwhile share, rather than with one statement each.
 *
 * What this process commits is seen by whoever asks next. What another one commits is seen by whoever asks later than
 * the answer under way, at most one trip to the database.
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

  /** `ask` sends the question above. */
  constructor(ask: () => Promise<string>) {
    this.#ask = ask;
  }

  /** To be called when this process has committed. */
  outdated(): void {
    this.#commits += 1;
    this.#current = false;
  }

  /** The rows for these values, read only if need be; `kept` is told when they were not. They cannot be changed. */
  async all(
    prepared: Prepared,
    parameters: readonly unknown[],
    read: () => Promise<Row[]>,
    kept: () => void,
  ): Promise<Row[]> {
    if (!this.#current) await this.#bringUpToDate();
    // Committed here since it was asked: nothing that is kept may be trusted.
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
    // Where the stamp has changed meanwhile, this map is no longer the one that is asked.
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

  /** A question under way began before this was called, and may not know of what was committed in between. */
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
