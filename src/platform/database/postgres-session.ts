import type { CompiledQuery, QueryResult } from 'kysely';
import type { Pool, PoolClient, QueryConfig, QueryResult as ServerResult } from 'pg';
import { isStalePlan } from './conditions.ts';
import type { QueryListeners } from './listeners.ts';
import { checkParameters } from './parameters.ts';
import type { Prepared, Session } from './session.ts';
import { assertUnderWay, type TransactionSession } from './transaction.ts';

type Row = Record<string, unknown>;
type Send = (config: QueryConfig) => Promise<ServerResult<Row>>;

abstract class PostgresSession implements Session {
  readonly engine = 'postgres';
  readonly #listeners: QueryListeners;

  constructor(listeners: QueryListeners) {
    this.#listeners = listeners;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { command, rowCount, rows } = await this.#send(sql, parameters);
    if (command === 'SELECT') return { rows: rows as R[] };
    return { rows: rows as R[], numAffectedRows: BigInt(rowCount ?? 0) };
  }

  abstract streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncGenerator<QueryResult<R>>;

  async all(prepared: Prepared, parameters: readonly unknown[]): Promise<unknown[]> {
    return (await this.#send(prepared.sql, parameters, prepared.name)).rows;
  }

  async first(prepared: Prepared, parameters: readonly unknown[]): Promise<unknown> {
    return (await this.#send(prepared.sql, parameters, prepared.name)).rows[0];
  }

  async run(prepared: Prepared, parameters: readonly unknown[]): Promise<number> {
    return (await this.#send(prepared.sql, parameters, prepared.name)).rowCount ?? 0;
  }

  /** Reads through a cursor of the server, which lives in the client's transaction. */
  protected async *fetch<R>(send: Send, query: CompiledQuery, size: number): AsyncGenerator<QueryResult<R>> {
    const { sql, parameters } = query;
    this.#announce(sql, parameters);
    const cursor = `stream_${query.queryId.queryId}`;
    await send({ text: `declare ${cursor} no scroll cursor for ${sql}`, values: [...parameters] });
    for (;;) {
      const { rows } = await send({ text: `fetch ${size} from ${cursor}` });
      if (rows.length > 0) yield { rows: rows as R[] };
      if (rows.length < size) break;
    }
    await send({ text: `close ${cursor}` });
  }

  protected abstract query(config: QueryConfig): Promise<ServerResult<Row>>;

  #announce(sql: string, parameters: readonly unknown[]): void {
    if (this.#listeners.active) this.#listeners.emit(sql);
    checkParameters(sql, parameters);
  }

  #send(sql: string, parameters: readonly unknown[], name?: string): Promise<ServerResult<Row>> {
    this.#announce(sql, parameters);
    return this.query({ name, text: sql, values: parameters as unknown[] });
  }
}

/** Reads on whichever connection of the pool is free. */
export class PostgresReadSession extends PostgresSession {
  readonly #pool: Pool;

  constructor(pool: Pool, listeners: QueryListeners) {
    super(listeners);
    this.#pool = pool;
  }

  async *streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncGenerator<QueryResult<R>> {
    const client = await this.#pool.connect();
    let failure: Error | undefined;
    try {
      await client.query('begin read only');
      yield* this.fetch<R>((config) => client.query<Row>(config), query, chunkSize);
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
      throw error;
    } finally {
      // Rolling back also closes the cursor of a reader that stopped half-way.
      if (!failure) await client.query('rollback');
      client.release(failure);
    }
  }

  protected async query(config: QueryConfig): Promise<ServerResult<Row>> {
    try {
      return await this.#pool.query<Row>(config);
    } catch (error) {
      if (!isStalePlan(error)) throw error;
      return this.#pool.query<Row>({ ...config, name: undefined });
    }
  }
}

/** Statements of one transaction, on the connection that it holds. */
export class PostgresTransactionSession extends PostgresSession implements TransactionSession {
  over = false;
  readonly #client: PoolClient;
  #last: Promise<unknown> = Promise.resolve();

  constructor(client: PoolClient, listeners: QueryListeners) {
    super(listeners);
    this.#client = client;
  }

  async *streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncGenerator<QueryResult<R>> {
    assertUnderWay(this);
    for await (const chunk of this.fetch<R>((config) => this.query(config), query, chunkSize)) {
      yield chunk;
      assertUnderWay(this);
    }
  }

  /** One after another, though the work may ask for several at once. */
  protected query(config: QueryConfig): Promise<ServerResult<Row>> {
    const result = this.#last.then(() => {
      assertUnderWay(this);
      return this.#client.query<Row>(config);
    });
    this.#last = result.catch(() => undefined);
    return result;
  }
}
