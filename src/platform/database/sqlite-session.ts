import type { CompiledQuery, QueryResult } from 'kysely';
import { Remembered } from './remembered.ts';
import type { Prepared, Session } from './session.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { assertUnderWay, type TransactionSession } from './transaction.ts';

/** Reads on the shared read-only connection. Statements run to their end at once, so they cannot overlap. */
export class SqliteReadSession implements Session {
  readonly engine = 'sqlite';
  readonly #connection: SqliteConnection;
  readonly #openAnother: () => SqliteConnection;
  readonly #remembered: Remembered;

  constructor(connection: SqliteConnection, openAnother: () => SqliteConnection) {
    this.#connection = connection;
    this.#openAnother = openAnother;
    this.#remembered = new Remembered(connection);
  }

  /** To be called when this process has committed. */
  outdated(): void {
    this.#remembered.outdated();
  }

  generation(): object {
    return this.#remembered.generation();
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.#connection.query<R>(query);
  }

  /** On a connection of its own: a statement left half-read would pin the shared one to an old snapshot. */
  async *streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncGenerator<QueryResult<R>> {
    const own = this.#openAnother();
    try {
      yield* chunks(own.iterate<R>(query), chunkSize);
    } finally {
      own.close();
    }
  }

  async all(prepared: Prepared, parameters: readonly unknown[]): Promise<unknown[]> {
    return prepared.remembered
      ? this.#remembered.all(prepared, parameters)
      : this.#connection.all(prepared, parameters);
  }

  async first(prepared: Prepared, parameters: readonly unknown[]): Promise<unknown> {
    return prepared.remembered
      ? this.#remembered.all(prepared, parameters)[0]
      : this.#connection.first(prepared, parameters);
  }

  async run(prepared: Prepared, parameters: readonly unknown[]): Promise<number> {
    return this.#connection.run(prepared, parameters);
  }
}

/** Statements of the one transaction that the writing connection is in. */
export class SqliteTransactionSession implements TransactionSession {
  readonly engine = 'sqlite';
  over = false;
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    assertUnderWay(this);
    return this.#connection.query<R>(query);
  }

  async *streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncGenerator<QueryResult<R>> {
    assertUnderWay(this);
    for (const chunk of chunks(this.#connection.iterate<R>(query), chunkSize)) {
      yield chunk;
      assertUnderWay(this);
    }
  }

  async all(prepared: Prepared, parameters: readonly unknown[]): Promise<unknown[]> {
    assertUnderWay(this);
    return this.#connection.all(prepared, parameters);
  }

  async first(prepared: Prepared, parameters: readonly unknown[]): Promise<unknown> {
    assertUnderWay(this);
    return this.#connection.first(prepared, parameters);
  }

  async run(prepared: Prepared, parameters: readonly unknown[]): Promise<number> {
    assertUnderWay(this);
    return this.#connection.run(prepared, parameters);
  }
}

function* chunks<R>(rows: Iterable<R>, chunkSize: number): Generator<QueryResult<R>> {
  let chunk: R[] = [];
  for (const row of rows) {
    chunk.push(row);
    if (chunk.length < chunkSize) continue;
    yield { rows: chunk };
    chunk = [];
  }
  if (chunk.length > 0) yield { rows: chunk };
}
