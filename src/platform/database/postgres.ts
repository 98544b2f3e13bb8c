import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { isSerializationFailure, isStalePlan } from './conditions.ts';
import { reached } from './connection-lost.ts';
import type { Database, Reader, Writer } from './engine.ts';
import { readerOver } from './kysely.ts';
import { QueryListeners } from './listeners.ts';
import { connectionLifetime, PostgresPlans } from './postgres-plans.ts';
import { type Pools, PostgresReadSession, PostgresTransactionSession } from './postgres-session.ts';
import { numberTypes } from './postgres-types.ts';
import { runActions } from './session.ts';
import { TransactionScope } from './transaction.ts';

/**
 * Maximum number of attempts for a transaction that fails to serialize: of many concurrent ones, each may have to let
 * all others go first.
 */
const attempts = 16;

/**
 * Delay before a retry, in milliseconds: several transactions long and random, so that the same ones do not collide
 * again.
 */
const retryDelay = (attempt: number) => Math.random() * 10 * 2 ** Math.min(attempt, 5);

/** Timeout for obtaining a connection, in milliseconds. */
const connectLimit = 30_000;

/** How long an idle connection is kept, in milliseconds: a new one would have to plan its statements again. */
const idleLimit = 300_000;

/** Number of reserved connections for reads that transactions wait for. */
const reservedConnections = 2;

/**
 * Outside database.write connections are read-only, as on SQLite. JIT compilation is disabled: it is meant for queries
 * that run for minutes and is triggered by a cost estimate; here it turned 60 milliseconds into six seconds.
 */
const settings = 'set default_transaction_read_only = on; set jit = off';

/** Opens a PostgreSQL database through pools of connections. */
export async function openPostgres(url: string, poolSize = 10): Promise<Database> {
  const database = new PostgresDatabase({ main: poolOf(url, poolSize), reserved: poolOf(url, reservedConnections) });
  try {
    await database.ping();
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

function poolOf(url: string, size: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: size,
    connectionTimeoutMillis: connectLimit,
    idleTimeoutMillis: idleLimit,
    maxLifetimeSeconds: connectionLifetime,
    types: numberTypes,
    onConnect: async (client) => {
      await client.query(settings);
    },
  });
  // A broken connection reports its error to the next statement, which fails, and as an event, which without a listener
  // would end the process. Idle connections leave the pool by themselves.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

class PostgresDatabase implements Database {
  readonly engine = 'postgres';
  readonly read: Reader;
  readonly #pools: Pools;
  readonly #session: PostgresReadSession;
  readonly #shared = { listeners: new QueryListeners(), plans: new PostgresPlans() };
  readonly #scope = new TransactionScope();
  #closing: Promise<void> | undefined;

  constructor(pools: Pools) {
    this.#pools = pools;
    this.#session = new PostgresReadSession(pools, () => this.#scope.isInside(), this.#shared);
    this.read = readerOver(this.#session);
  }

  async write<T>(work: (trx: Writer) => Promise<T>): Promise<T> {
    this.#scope.refuseNesting();
    for (let attempt = 1; ; attempt++) {
      try {
        const { value, actions } = await this.#transact(work);
        this.#session.invalidate();
        runActions(actions);
        return value;
      } catch (error) {
        if (attempt === attempts || !(isSerializationFailure(error) || isStalePlan(error))) throw error;
      }
      await setTimeout(retryDelay(attempt));
    }
  }

  generation(): undefined {
    return undefined;
  }

  onQuery(listener: (sql: string) => void): () => void {
    return this.#shared.listeners.add(listener);
  }

  async ping(): Promise<void> {
    await this.#pools.main.query('select 1');
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  /** An ended pool does not serve requests that still wait for a connection, so wait until none do. */
  async #end(): Promise<void> {
    const pools = [this.#pools.main, this.#pools.reserved];
    while (pools.some(({ waitingCount }) => waitingCount > 0)) await setTimeout(10);
    await Promise.all(pools.map((pool) => pool.end()));
  }

  async #transact<T>(work: (trx: Writer) => Promise<T>) {
    const client = await reached(this.#pools.main.connect());
    let unusable = false;
    try {
      await reached(client.query('begin read write'));
      const done = await this.#scope.run(new PostgresTransactionSession(client, this.#shared), work);
      const { command } = await reached(client.query('commit'));
      // The server answers a commit after a failed statement with a rollback, and reports success.
      if (command !== 'COMMIT') throw new Error('a statement of the transaction failed, but its work continued');
      return done;
    } catch (error) {
      unusable = isStalePlan(error) || !(await rolledBack(client));
      throw error;
    } finally {
      client.release(unusable);
    }
  }
}

async function rolledBack(client: pg.PoolClient): Promise<boolean> {
  try {
    await client.query('rollback');
    return true;
  } catch {
    // The connection is lost, as the caller's error says.
    return false;
  }
}
