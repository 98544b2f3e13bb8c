import type { Prepared } from './session.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

type Row = Record<string, unknown>;

/**
 * The values of one execution as a key. A lone number or text stands for itself, and a map tells 1 from '1'; several are
 * written as JSON, which tells them apart as well and puts marks around each that no value can imitate.
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
 * Rows that were read before, handed out again for as long as nothing was committed to the file since: not by this
 * process, and not by another. What every request asks anew (whose token is this, which project, what role) costs a
 * look into a map then, and is never older than a read would be.
 *
 * SQLite counts the commits of all others in `data_version`. It is asked once in each turn of the event loop: what a
 * client was told of before it sent its request was committed before the turn in which the request is read.
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

  /** To be called when this process has committed. */
  outdated(): void {
    this.#current = false;
  }

  /** The same object for as long as nothing was committed. */
  generation(): object {
    if (!this.#current) this.#bringUpToDate();
    return this.#generation;
  }

  /** The rows for these values, read only if need be. They are shared, so they cannot be changed. */
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
