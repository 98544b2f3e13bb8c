import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { Mutex } from '../concurrency.ts';
import { isBusy } from './conditions.ts';
import { Durability } from './durability.ts';
import type { Database, Reader, WriteOptions, Writer } from './engine.ts';
import { readerOver } from './kysely.ts';
import { QueryListeners } from './listeners.ts';
import { runActions } from './session.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { SqliteGroup } from './sqlite-group.ts';
import { SqliteReadSession, SqliteTransactionSession } from './sqlite-session.ts';
import { TransactionScope } from './transaction.ts';

/** How long a write waits for another writing process, in milliseconds. */
const busyLimit = 30_000;

/** Maximum number of event loop turns during which transactions can join a group: other processes wait meanwhile. */
const maxGroupTurns = 6;

const megabyte = 1024 * 1024;

/**
 * The most of a file that SQLite can map: pages in the system's cache are then read without copying, which halves the
 * time of a list of a large project. This is not memory of the process, and a small file is mapped only to its size.
 */
const mmapSize = 2047 * megabyte;

/**
 * Size of the log, in pages of 4 KiB, at which a commit copies it into the database. SQLite's default of 1,000 is a
 * dozen groups of issues, whose pages are mostly the same: of 2,000 such commits 74 copied and waited for the disk; now
 * 18 do, and CPU time is a sixth lower. With many more pages a single copy would block the event loop for longer.
 */
const checkpointPages = 4000;

const everyConnection = `
  pragma foreign_keys = on;
  pragma cache_size = -${16 * 1024};
  pragma mmap_size = ${mmapSize};
  pragma temp_store = memory;`;

const writingConnection = `
  pragma journal_mode = wal;
  pragma synchronous = normal;
  pragma journal_size_limit = ${64 * megabyte};
  pragma wal_autocheckpoint = ${checkpointPages};`;

/** Opens a SQLite file with a writing and a read-only connection. */
export async function openSqlite(file: string): Promise<Database> {
  const listeners = new QueryListeners();
  const writing = new DatabaseSync(file, { timeout: 0 });
  try {
    // Switching a new file to WAL briefly needs exclusive access; another process may be starting too.
    await retryWhileBusy(() => writing.exec(writingConnection + everyConnection));
    // The log file is created by the first transaction.
    await retryWhileBusy(() => writing.exec('begin immediate; commit;'));
    return new SqliteDatabase(writing, openReading(file, listeners), listeners, await Durability.of(file));
  } catch (error) {
    writing.close();
    throw error;
  }
}

function openReading(file: string, listeners: QueryListeners): SqliteConnection {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
  db.exec(everyConnection);
  return new SqliteConnection(db, listeners);
}

class SqliteDatabase implements Database {
  readonly engine = 'sqlite';
  readonly read: Reader;
  readonly #db: DatabaseSync;
  readonly #writing: SqliteConnection;
  readonly #reading: SqliteConnection;
  readonly #session: SqliteReadSession;
  readonly #listeners: QueryListeners;
  readonly #durability: Durability;
  readonly #writers = new Mutex();
  readonly #scope = new TransactionScope();
  #group: SqliteGroup | undefined;
  #closing: Promise<void> | undefined;

  constructor(writing: DatabaseSync, reading: SqliteConnection, listeners: QueryListeners, durability: Durability) {
    this.#db = writing;
    this.#writing = new SqliteConnection(writing, listeners);
    this.#reading = reading;
    this.#listeners = listeners;
    this.#durability = durability;
    this.#session = new SqliteReadSession(reading);
    this.read = readerOver(this.#session);
  }

  async write<T>(work: (trx: Writer) => Promise<T>, { together = false }: WriteOptions = {}): Promise<T> {
    this.#scope.refuseNesting();
    const { value, actions, durable } = await this.#writers.run(() =>
      together ? this.#transactTogether(work) : this.#transact(work),
    );
    await durable;
    runActions(actions);
    return value;
  }

  generation(): object | undefined {
    // Listeners that count statements need to see all of them.
    return this.#listeners.active ? undefined : this.#session.generation();
  }

  onQuery(listener: (sql: string) => void): () => void {
    return this.#listeners.add(listener);
  }

  async ping(): Promise<void> {
    this.#durability.assertSound();
    this.#reading.exec('select 1');
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #transact<T>(work: (trx: Writer) => Promise<T>) {
    this.#endGroup();
    await this.#begin();
    try {
      const done = await this.#scope.run(new SqliteTransactionSession(this.#writing), work);
      this.#writing.indexDue();
      this.#writing.exec('commit');
      this.#session.invalidate();
      return { ...done, durable: this.#durability.settled() };
    } catch (error) {
      // Some errors (disk full, out of memory) have already rolled back.
      if (this.#db.isTransaction) this.#writing.exec('rollback');
      throw error;
    }
  }

  async #transactTogether<T>(work: (trx: Writer) => Promise<T>) {
    const group = this.#group ?? (await this.#beginGroup());
    try {
      const done = await group.run(() => this.#scope.run(new SqliteTransactionSession(this.#writing), work));
      return { ...done, durable: group.durable };
    } finally {
      if (group.lost) this.#endGroup();
    }
  }

  async #begin(): Promise<void> {
    this.#durability.assertSound();
    // SQLite's own busy timeout would block the event loop, so other processes are waited for here.
    await retryWhileBusy(() => this.#writing.exec('begin immediate'));
  }

  /**
   * Starts a group that lasts for this turn of the event loop and the following ones while transactions keep joining.
   */
  async #beginGroup(): Promise<SqliteGroup> {
    await this.#begin();
    const group = new SqliteGroup(this.#db, this.#writing);
    this.#group = group;
    this.#endOnceComplete(group, 0, maxGroupTurns);
    return group;
  }

  /**
   * Ends the group after the first turn in which no transaction joined: concurrent writes arrive within a few turns.
   */
  #endOnceComplete(group: SqliteGroup, members: number, turns: number): void {
    setImmediate(() => {
      void this.#writers.run(async () => {
        if (this.#group !== group) return;
        if (group.members > members && turns > 1) this.#endOnceComplete(group, group.members, turns - 1);
        else this.#endGroup();
      });
    });
  }

  #endGroup(): void {
    const group = this.#group;
    this.#group = undefined;
    group?.end(() => {
      this.#session.invalidate();
      return this.#durability.settled();
    });
  }

  async #close(): Promise<void> {
    await this.#writers.run(async () => this.#endGroup());
    await this.#durability.close();
    this.#reading.close();
    this.#writing.close();
  }
}

async function retryWhileBusy(action: () => void): Promise<void> {
  const deadline = performance.now() + busyLimit;
  for (let pause = 1; ; pause = Math.min(pause * 2, 8)) {
    try {
      action();
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
    }
    // Random pauses, because two processes that retry in step would keep missing the gap.
    await setTimeout(pause * (0.5 + Math.random()));
  }
}
