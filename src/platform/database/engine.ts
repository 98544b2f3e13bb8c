import type { Kysely, Transaction } from 'kysely';
import type { Tables } from './tables.ts';

/** The database engines that Hearth runs on. */
export type Engine = 'sqlite' | 'postgres';

/** What a query needs that only reads: `database.read`, or a transaction to see its own writes. */
export type Reader = Kysely<Tables>;

/** A transaction under way, handed out by `database.write`. */
export type Writer = Transaction<Tables>;

/** How a transaction is run. */
export interface WriteOptions {
  /**
   * It may be committed along with others of the same moment, where that is cheaper: for what is written often. Its work
   * reads through the transaction alone, for `database.read` does not show what others of the moment have written.
   */
  readonly together?: boolean;
}

/** The database, alike on both engines. */
export interface Database {
  readonly engine: Engine;
  /** Reads outside a transaction; each statement sees what was committed when it ran. Writing through it fails. */
  readonly read: Reader;
  /**
   * Runs the work in one transaction and resolves once it is durable. A rejection of the work rolls it back. The work
   * may run more than once (PostgreSQL breaks deadlocks by refusing one side), so its effects outside the
   * database belong in `afterCommit`.
   */
  write<T>(work: (trx: Writer) => Promise<T>, options?: WriteOptions): Promise<T>;
  /**
   * The same object for as long as nobody, in this process or another, has committed; undefined where the engine
   * cannot tell. What was read and worked out under one generation is as good as read afresh.
   */
  generation(): object | undefined;
  /** Calls the listener with the SQL of every statement from now on; returns the way to stop. */
  onQuery(listener: (sql: string) => void): () => void;
  /** Rejects unless the database answers. */
  ping(): Promise<void>;
  /** Waits for the writes under way, then closes. */
  close(): Promise<void>;
}
