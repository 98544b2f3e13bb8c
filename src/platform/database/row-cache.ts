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

const keptPerStatement = 2000;
const longestKept = 100;

/**
 * Reuses rows until any process commits to the file. What nearly every request reads (the owner of a token, the
 * project, the role) then costs a map lookup and is never older than a read would be.
 *
 * SQLite counts the commits of other connections in `data_version`. It is read once per turn of the event loop:
 * whatever a client was told before it sent its request was committed before the turn in which the request is read.
 */
export class RowCache {
  readonly #connection: SqliteConnection;
  readonly #kept: (Map<unknown, Row[]> | undefined)[] = [];
  #version = -1;
  #generation = {};
  #current = false;
  readonly #nextTurn = () => {
    this.#current = false;
  };

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /** Must be called after each commit of this process. */
  outdated(): void {
    this.#current = false;
  }

  /** Returns the same object until something is committed. */
  generation(): object {
    if (!this.#current) this.#bringUpToDate();
    return this.#generation;
  }

  /**
   * Returns the rows for these parameters, reading them if they are not cached. They are shared and therefore frozen.
   */
  all(prepared: Prepared, parameters: readonly unknown[]): Row[] {
    if (!this.#current) this.#bringUpToDate();
    let kept = this.#kept[prepared.id];
    if (!kept) {
      kept = new Map();
      this.#kept[prepared.id] = kept;
    }
    const key = rowKey(parameters);
    const known = kept.get(key);
    if (known) {
      this.#connection.announce(prepared);
      return known;
    }
    const rows = this.#connection.all(prepared, parameters);
    for (const row of rows) Object.freeze(row);
    if (kept.size >= keptPerStatement) kept.clear();
    if (rows.length <= longestKept) kept.set(key, rows);
    return Object.freeze(rows) as Row[];
  }

  #bringUpToDate(): void {
    this.#current = true;
    setImmediate(this.#nextTurn);
    const version = this.#connection.dataVersion();
    if (version === this.#version) return;
    this.#version = version;
    this.#generation = {};
    this.#kept.length = 0;
  }
}
