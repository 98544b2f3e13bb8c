import type { Prepared } from './session.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

type Row = Record<string, unknown>;

/**
 * A map key for the parameters of one execution. A single number or text is its own key, since a map distinguishes 1
 * from '1'. Several are encoded as JSON, which also preserves types and quotes each value unambiguously.
 */
export function rowKey(parameters: readonly unknown[]): unknown {
  const [only] = parameters;
  const lone = parameters.length === 1;
  if (lone && (typeof only === 'number' || (typeof only === 'string' && !only.startsWith('[')))) return only;
  return JSON.stringify(parameters);
}

const maxEntriesPerStatement = 2000;
const maxCachedRows = 100;

/**
 * Reuses rows until any process commits to the file. What nearly every request reads (the owner of a token, the
 * project, the role) then costs a map lookup and is never older than a read would be.
 *
 * SQLite counts the commits of other connections in `data_version`. It is read once per turn of the event loop:
 * whatever a client was told before it sent its request was committed before the turn in which the request is read.
 */
export class RowCache {
  readonly #connection: SqliteConnection;
  readonly #cached: (Map<unknown, Row[]> | undefined)[] = [];
  #version = -1;
  #generation = {};
  #fresh = false;
  readonly #nextTurn = () => {
    this.#fresh = false;
  };

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /** Must be called after each commit of this process. */
  invalidate(): void {
    this.#fresh = false;
  }

  /** Returns the same object until something is committed. */
  generation(): object {
    if (!this.#fresh) this.#refresh();
    return this.#generation;
  }

  /**
   * Returns the rows for these parameters, reading them if they are not cached. They are shared and therefore frozen.
   */
  all(prepared: Prepared, parameters: readonly unknown[]): Row[] {
    if (!this.#fresh) this.#refresh();
    let cached = this.#cached[prepared.id];
    if (!cached) {
      cached = new Map();
      this.#cached[prepared.id] = cached;
    }
    const key = rowKey(parameters);
    const known = cached.get(key);
    if (known) {
      this.#connection.announce(prepared);
      return known;
    }
    const rows = this.#connection.all(prepared, parameters);
    for (const row of rows) Object.freeze(row);
    if (cached.size >= maxEntriesPerStatement) cached.clear();
    if (rows.length <= maxCachedRows) cached.set(key, rows);
    return Object.freeze(rows) as Row[];
  }

  #refresh(): void {
    this.#fresh = true;
    setImmediate(this.#nextTurn);
    const version = this.#connection.dataVersion();
    if (version === this.#version) return;
    this.#version = version;
    this.#generation = {};
    this.#cached.length = 0;
  }
}
