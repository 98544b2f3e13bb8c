import type { CompiledQuery, QueryResult } from 'kysely';
import { RowCache } from './row-cache.ts';
import { type Prepared, refuseStream, type Session } from './session.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { assertOpen, type TransactionSession } from './transaction.ts';

/** Reads on the shared read-only connection. Statements are synchronous, so they cannot overlap. */
export class SqliteReadSession implements Session {
  readonly engine = 'sqlite';
  readonly streamQuery = refuseStream;
  readonly #connection: SqliteConnection;
  readonly #rows: RowCache;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
    this.#rows = new RowCache(connection);
  }

  /** Must be called after each commit of this process. */
  invalidate(): void {
    this.#rows.invalidate();
  }

  generation(): object {
    return this.#rows.generation();
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.#connection.query<R>(query);
  }

  executePrepared<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.executeQuery(query);
  }

  async all(prepared: Prepared, parameters: readonly unknown[]): Promise<unknown[]> {
    return prepared.cached ? this.#rows.all(prepared, parameters) : this.#connection.all(prepared, parameters);
  }

  async first(prepared: Prepared, parameters: readonly unknown[]): Promise<unknown> {
    return prepared.cached ? this.#rows.all(prepared, parameters)[0] : this.#connection.first(prepared, parameters);
  }

  async run(prepared: Prepared, parameters: readonly unknown[]): Promise<number> {
    return this.#connection.run(prepared, parameters);
  }
}

/** Executes the statements of the current transaction on the writing connection. */
export class SqliteTransactionSession implements TransactionSession {
  readonly engine = 'sqlite';
  readonly streamQuery = refuseStream;
  over = false;
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    assertOpen(this);
    return this.#connection.query<R>(query);
  }

  executePrepared<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.executeQuery(query);
  }

  async all(prepared: Prepared, parameters: readonly unknown[]): Promise<unknown[]> {
    assertOpen(this);
    return this.#connection.all(prepared, parameters);
  }

  async first(prepared: Prepared, parameters: readonly unknown[]): Promise<unknown> {
    assertOpen(this);
    return this.#connection.first(prepared, parameters);
  }

  async run(prepared: Prepared, parameters: readonly unknown[]): Promise<number> {
    assertOpen(this);
    return this.#connection.run(prepared, parameters);
  }
}
