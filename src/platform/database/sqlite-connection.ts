import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { CompiledQuery, QueryResult } from 'kysely';
import { LRUCache } from 'lru-cache';
import { isMissingTable } from './conditions.ts';
import type { QueryListeners } from './listeners.ts';
import { checkParameters } from './parameters.ts';
import { indexDue } from './search-due-schema.ts';
import type { Prepared } from './session.ts';

type Row = Record<string, unknown>;

interface Cached {
  readonly statement: StatementSync;
  /** Empty for a statement that returns no rows. */
  columns: readonly string[];
  makeRow: (values: readonly unknown[]) => Row;
}

const cacheLimit = 500;

/** One SQLite connection with its prepared statements. Everything on it is synchronous. */
export class SqliteConnection {
  readonly #db: DatabaseSync;
  readonly #listeners: QueryListeners;
  /** Statements by SQL, bounded because queries are built dynamically. */
  readonly #recent = new LRUCache<string, Cached>({ max: cacheLimit });
  /** Statements by id: as many as the code has `statement` calls. */
  readonly #prepared: (Cached | undefined)[] = [];
  /** Statements of `exec`: as many as the code has calls. */
  readonly #plain = new Map<string, StatementSync>();
  readonly #dataVersion: StatementSync;
  #indexDue: StatementSync | undefined;

  constructor(db: DatabaseSync, listeners: QueryListeners) {
    this.#db = db;
    this.#listeners = listeners;
    this.#dataVersion = db.prepare('pragma data_version');
    this.#dataVersion.setReturnArrays(true);
  }

  /** Changes when another connection, of this process or another, has committed. */
  dataVersion(): number {
    return (this.#dataVersion.get() as unknown as readonly [number])[0];
  }

  /** Notifies listeners of a statement that was answered from the cache. */
  announce({ sql }: Prepared): void {
    if (this.#listeners.active) this.#listeners.emit(sql);
  }

  /** Runs one statement without parameters or results, without notifying listeners. */
  exec(sql: string): void {
    let statement = this.#plain.get(sql);
    if (!statement) {
      statement = this.#db.prepare(sql);
      this.#plain.set(sql, statement);
    }
    statement.run();
  }

  /** Adds the rows of the transaction to the search indexes; must be called before its commit. */
  indexDue(): void {
    this.#indexDue ??= this.#prepareIndexing();
    this.#indexDue?.run();
  }

  query<R>({ sql, parameters }: CompiledQuery): QueryResult<R> {
    if (this.#listeners.active) this.#listeners.emit(sql);
    const cached = this.#lookUp(sql);
    checkParameters(sql, parameters);
    if (cached.columns.length > 0) return { rows: toRows(cached, cached.statement.all(...parameters)) as R[] };
    const { changes, lastInsertRowid } = cached.statement.run(...parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  all(prepared: Prepared, parameters: readonly unknown[]): Row[] {
    const cached = this.#prepare(prepared);
    checkParameters(prepared.sql, parameters);
    return toRows(cached, cached.statement.all(...parameters));
  }

  first(prepared: Prepared, parameters: readonly unknown[]): Row | undefined {
    const cached = this.#prepare(prepared);
    checkParameters(prepared.sql, parameters);
    const values = cached.statement.get(...parameters);
    return values === undefined ? undefined : toRow(cached, values);
  }

  run(prepared: Prepared, parameters: readonly unknown[]): number {
    const cached = this.#prepare(prepared);
    checkParameters(prepared.sql, parameters);
    return Number(cached.statement.run(...parameters).changes);
  }

  close(): void {
    this.#db.close();
  }

  #lookUp(sql: string): Cached {
    let cached = this.#recent.get(sql);
    if (!cached) {
      cached = this.#compile(sql);
      this.#recent.set(sql, cached);
    }
    return cached;
  }

  #prepare({ id, sql }: Prepared): Cached {
    if (this.#listeners.active) this.#listeners.emit(sql);
    let cached = this.#prepared[id];
    if (!cached) {
      cached = this.#compile(sql);
      this.#prepared[id] = cached;
    }
    return cached;
  }

  /** Undefined while the schema is older or not created yet. */
  #prepareIndexing(): StatementSync | undefined {
    try {
      return this.#db.prepare(indexDue);
    } catch (error) {
      if (isMissingTable(error)) return undefined;
      throw error;
    }
  }

  #compile(sql: string): Cached {
    const statement = this.#db.prepare(sql);
    // Converting arrays to objects here takes half the time of the objects that node:sqlite creates, which moreover
    // have no prototype and no hidden class.
    statement.setReturnArrays(true);
    const columns = columnsOf(statement);
    return { statement, columns, makeRow: rowMaker(columns) };
  }
}

function columnsOf(statement: StatementSync): string[] {
  return statement.columns().map((column) => column.name);
}

function toRows(cached: Cached, rows: readonly unknown[]): Row[] {
  const result = new Array<Row>(rows.length);
  for (let index = 0; index < rows.length; index++) result[index] = toRow(cached, rows[index]);
  return result;
}

function toRow(cached: Cached, values: unknown): Row {
  const list = values as readonly unknown[];
  // SQLite re-prepares a statement when another process has changed the schema: `select *` may return more columns.
  if (list.length !== cached.columns.length) {
    cached.columns = columnsOf(cached.statement);
    cached.makeRow = rowMaker(cached.columns);
  }
  return cached.makeRow(list);
}

/**
 * Generates the function that turns a list of values into a row. An object literal gets its final shape at once;
 * setting fifty properties one by one takes ten times as long. The names are those of our own columns.
 */
function rowMaker(columns: readonly string[]): (values: readonly unknown[]) => Row {
  const fields = columns.map((column, index) => `${JSON.stringify(column)}: v[${index}]`);
  return new Function('v', `return { ${fields.join(', ')} };`) as (values: readonly unknown[]) => Row;
}
