import type { Kysely, Transaction } from 'kysely';
import type { Tables } from './tables.ts';

/** The supported database engines. */
export type Engine = 'sqlite' | 'postgres';

/** A connection for read-only queries: `database.read`, or a transaction to see its own writes. */
export type Reader = Kysely<Tables>;

/** A transaction in progress, passed to the work of `database.write`. */
export type Writer = Transaction<Tables>;

/** Options of a transaction. */
export interface WriteOptions {
  /**
   * It may be committed together with other transactions of the same moment, where that is cheaper; for frequent
   * writes. Its work must read through the transaction, because `database.read` does not show what the others have
   * written.
   */
  readonly together?: boolean;
}

/** The database, with the same behaviour on both engines. */
export interface Database {
  readonly engine: Engine;
  /** Reads outside a transaction; each statement sees what was committed when it ran. Writing through it fails. */
  readonly read: Reader;
  /**
   * Runs the work in one transaction and resolves once it is durable. If the work rejects, the transaction is rolled
   * back. The work may run more than once (PostgreSQL resolves deadlocks by aborting one side), so side effects outside
   * the database belong in `afterCommit`.
   */
  write<T>(work: (trx: Writer) => Promise<T>, options?: WriteOptions): Promise<T>;
  /**
   * Returns the same object until any process commits; undefined if the engine cannot tell. Results read under one
   * generation are as good as fresh ones.
   */
  generation(): object | undefined;
  /** Calls the listener with the SQL of every statement from now on; returns a function that removes it. */
  onQuery(listener: (sql: string) => void): () => void;
  /** Rejects unless the database answers. */
  ping(): Promise<void>;
  /** Waits for running transactions, then closes. */
  close(): Promise<void>;
}
