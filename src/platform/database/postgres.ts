import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { isStalePlan, lostRace } from './conditions.ts';
import type { Database, Reader, Writer } from './engine.ts';
import { readerOver } from './kysely.ts';
import { QueryListeners } from './listeners.ts';
import { connectionLifetime, PostgresPlans } from './postgres-plans.ts';
import { type Pools, PostgresReadSession, PostgresTransactionSession } from './postgres-session.ts';
import { numberTypes } from './postgres-types.ts';
import { runActions } from './session.ts';
import { TransactionScope } from './transaction.ts';

/** How often a transaction that lost a race is tried: of many that meet, each may have to let all others go first. */
const attempts = 16;

/** How long it waits, in milliseconds: some transactions long, so that those that lost together do not meet again. */
const waitAfter = (attempt: number) => Math.random() * 10 * 2 ** Math.min(attempt, 5);

/** How long a request waits for a connection, in milliseconds. */
const connectLimit = 30_000;

/** How long a connection is kept that nobody uses, in milliseconds: what another would have to plan again it knows. */
const idleLimit = 300_000;

/** How many connections there are beside, for what transactions wait for. */
const fewConnections = 2;

/**
 * What is not inside database.write may only read, as on SQLite. And nothing is compiled to machine code: that is for queries that
 * run for minutes, and is begun by a guess at their cost. Of what is asked here it made 60 milliseconds into six seconds.
 */
const settings = 'set default_transaction_read_only = on; set jit = off';

/** Opens a PostgreSQL database through pools of connections. */
export async function openPostgres(url: string, poolSize = 10): Promise<Database> {
  const database = new PostgresDatabase({ many: poolOf(url, poolSize), few: poolOf(url, fewConnections) });
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
  // A connection that breaks says so twice: to its next statement, which fails, and as an event, which without a
  // listener would end the process. Idle ones leave the pool by themselves.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

class PostgresDatabase implements Database {
  readonly engine = 'postgres';
  readonly read: Reader;
  readonly #pools: Pools;
  readonly #session: PostgresReadSession;
  readonly #around = { listeners: new QueryListeners(), plans: new PostgresPlans() };
  readonly #scope = new TransactionScope();
  #closing: Promise<void> | undefined;

  constructor(pools: Pools) {
    this.#pools = pools;
    this.#session = new PostgresReadSession(pools, () => this.#scope.isInside(), this.#around);
    this.read = readerOver(this.#session);
  }

  async write<T>(work: (trx: Writer) => Promise<T>): Promise<T> {
    this.#scope.refuseNesting();
    for (let attempt = 1; ; attempt++) {
      try {
        const { value, actions } = await this.#transact(work);
        this.#session.outdated();
        runActions(actions);
        return value;
      } catch (error) {
        if (attempt === attempts || !(lostRace(error) || isStalePlan(error))) throw error;
      }
      await setTimeout(waitAfter(attempt));
    }
  }

  generation(): undefined {
    return undefined;
  }

  onQuery(listener: (sql: string) => void): () => void {
    return this.#around.listeners.add(listener);
  }

  async ping(): Promise<void> {
    await this.#pools.many.query('select 1');
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  /** A pool that ends serves nobody who still waits for a connection: whoever does is served, or gives up, before. */
  async #end(): Promise<void> {
    const pools = [this.#pools.many, this.#pools.few];
    while (pools.some(({ waitingCount }) => waitingCount > 0)) await setTimeout(10);
    await Promise.all(pools.map((pool) => pool.end()));
  }

  async #transact<T>(work: (trx: Writer) => Promise<T>) {
    const client = await this.#pools.many.connect();
    let unusable = false;
    try {
      await client.query('begin read write');
      const done = await this.#scope.run(new PostgresTransactionSession(client, this.#around), work);
      const { command } = await client.query('commit');
      // The server answers a commit after a failed statement by rolling back, and calls it a success.
      if (command !== 'COMMIT') throw new Error('a statement of the transaction failed, and the work went on');
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
    // The connection is gone, which is what the caller's error says.
    return false;
  }
}
