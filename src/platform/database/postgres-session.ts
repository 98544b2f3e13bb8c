import type { CompiledQuery, QueryResult } from 'kysely';
import type { Pool, PoolClient, QueryConfig, QueryResult as ServerResult } from 'pg';
import { isStalePlan } from './conditions.ts';
import { reached } from './connection-lost.ts';
import type { QueryListeners } from './listeners.ts';
import { checkParameters } from './parameters.ts';
import type { PostgresPlans } from './postgres-plans.ts';
import { PostgresRowCache, stampQuery } from './postgres-row-cache.ts';
import { type Prepared, refuseStream, type Session } from './session.ts';
import { assertOpen, type TransactionSession } from './transaction.ts';

type Row = Record<string, unknown>;

/** State shared by all sessions of a database. */
export interface SharedState {
  readonly listeners: QueryListeners;
  readonly plans: PostgresPlans;
}

abstract class PostgresSession implements Session {
  readonly engine = 'postgres';
  readonly streamQuery = refuseStream;
  readonly #listeners: QueryListeners;
  readonly #plans: PostgresPlans;

  constructor({ listeners, plans }: SharedState) {
    this.#listeners = listeners;
    this.#plans = plans;
  }

  /** Notifies listeners of a statement, whether it was executed or answered from the cache. */
  protected announce(sql: string): void {
    if (this.#listeners.active) this.#listeners.emit(sql);
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.#execute(query);
  }

  executePrepared<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.#execute(query, this.#plans.nameOf(query.sql));
  }

  async #execute<R>({ sql, parameters }: CompiledQuery, name?: string): Promise<QueryResult<R>> {
    const { command, rowCount, rows } = await this.#send(sql, parameters, name);
    if (command === 'SELECT') return { rows: rows as R[] };
    return { rows: rows as R[], numAffectedRows: BigInt(rowCount ?? 0) };
  }

  async all(prepared: Prepared, parameters: readonly unknown[]): Promise<unknown[]> {
    return (await this.#send(prepared.sql, parameters, prepared.name)).rows;
  }

  async first(prepared: Prepared, parameters: readonly unknown[]): Promise<unknown> {
    return (await this.#send(prepared.sql, parameters, prepared.name)).rows[0];
  }

  async run(prepared: Prepared, parameters: readonly unknown[]): Promise<number> {
    return (await this.#send(prepared.sql, parameters, prepared.name)).rowCount ?? 0;
  }

  protected abstract query(config: QueryConfig): Promise<ServerResult<Row>>;

  #send(sql: string, parameters: readonly unknown[], name?: string): Promise<ServerResult<Row>> {
    this.announce(sql);
    checkParameters(sql, parameters);
    return this.query({ name, text: sql, values: parameters as unknown[] });
  }
}

/** Reads on any free connection of a pool. */
class PoolSession extends PostgresSession {
  readonly #pool: () => Pool;

  constructor(pool: () => Pool, shared: SharedState) {
    super(shared);
    this.#pool = pool;
  }

  async query(config: QueryConfig): Promise<ServerResult<Row>> {
    try {
      return await reached(this.#pool().query<Row>(config));
    } catch (error) {
      if (!isStalePlan(error)) throw error;
      return reached(this.#pool().query<Row>({ ...config, name: undefined }));
    }
  }
}

/** The connection pools of a database. */
export interface Pools {
  readonly main: Pool;
  /**
   * For reads that transactions wait for: if each main connection held such a transaction, none would ever become free.
   */
  readonly reserved: Pool;
}

/** Cached reads may be awaited by transactions too, whoever started them, so they use the reserved connections. */
export class PostgresReadSession extends PoolSession {
  readonly #cachedReads: PoolSession;
  readonly #rows: PostgresRowCache;

  constructor({ main, reserved }: Pools, isInside: () => boolean, shared: SharedState) {
    super(() => (isInside() ? reserved : main), shared);
    this.#cachedReads = new PoolSession(() => reserved, shared);
    this.#rows = new PostgresRowCache(() => this.#stamp());
  }

  /** Must be called after each commit of this process. */
  invalidate(): void {
    this.#rows.invalidate();
  }

  override all(prepared: Prepared, parameters: readonly unknown[]): Promise<unknown[]> {
    return prepared.cached ? this.#cached(prepared, parameters) : super.all(prepared, parameters);
  }

  override async first(prepared: Prepared, parameters: readonly unknown[]): Promise<unknown> {
    return prepared.cached ? (await this.#cached(prepared, parameters))[0] : super.first(prepared, parameters);
  }

  #cached(prepared: Prepared, parameters: readonly unknown[]): Promise<Row[]> {
    const read = () => this.#cachedReads.all(prepared, parameters) as Promise<Row[]>;
    return this.#rows.all(prepared, parameters, read, () => this.announce(prepared.sql));
  }

  async #stamp(): Promise<string> {
    const { rows } = await this.#cachedReads.query({ name: 'hearth_stamp', text: stampQuery });
    return String(rows[0]?.stamp);
  }
}

/** Executes the statements of one transaction on its connection. */
export class PostgresTransactionSession extends PostgresSession implements TransactionSession {
  over = false;
  readonly #client: PoolClient;
  #last: Promise<unknown> = Promise.resolve();

  constructor(client: PoolClient, shared: SharedState) {
    super(shared);
    this.#client = client;
  }

  /** Executes queries one after another, even if the work starts several at once. */
  protected query(config: QueryConfig): Promise<ServerResult<Row>> {
    const result = this.#last.then(() => {
      assertOpen(this);
      return reached(this.#client.query<Row>(config));
    });
    this.#last = result.catch(() => undefined);
    return result;
  }
}
