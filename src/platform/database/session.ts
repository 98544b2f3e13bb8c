import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import type { Engine, Reader, Writer } from './engine.ts';

/** A statement whose SQL never changes, with a small number for caches in this process and a name for the server. */
export interface Prepared {
  readonly id: number;
  readonly name: string;
  readonly sql: string;
  /** Its rows may be reused until something is committed. */
  readonly cached?: boolean;
}

/** The connection behind a `Reader` or `Writer`: Kysely's interface and the faster one of `statement`. */
export interface Session extends DatabaseConnection {
  readonly engine: Engine;
  /** Executes a query that will be repeated with other values. */
  executePrepared<R>(query: CompiledQuery): Promise<QueryResult<R>>;
  all(prepared: Prepared, parameters: readonly unknown[]): Promise<unknown[]>;
  first(prepared: Prepared, parameters: readonly unknown[]): Promise<unknown>;
  run(prepared: Prepared, parameters: readonly unknown[]): Promise<number>;
}

/** Kysely's interface for streaming rows, which is unused: lists are read by pages, and nothing reads whole tables. */
export function refuseStream(): never {
  throw new Error('rows are read in pages, not as a stream');
}

const sessions = new WeakMap<Reader, Session>();
const actions = new WeakMap<Writer, (() => void)[]>();

/** Assigns a session to a reader or writer. */
export function bindSession(db: Reader, session: Session): void {
  sessions.set(db, session);
}

/** The session behind a reader or writer. */
export function sessionOf(db: Reader): Session {
  const session = sessions.get(db);
  if (!session) throw new Error('expected database.read or a transaction of database.write');
  return session;
}

/** Runs the action once the transaction is durable; discards it if the transaction is rolled back. */
export function afterCommit(trx: Writer, action: () => void): void {
  const list = actions.get(trx);
  if (!list) throw new Error('afterCommit needs an open transaction of database.write');
  list.push(action);
}

/** Makes `afterCommit` collect actions for the transaction until `takeActions` is called. */
export function collectActions(trx: Writer): void {
  actions.set(trx, []);
}

/** Stops collecting and returns the actions, for the caller to run or discard. */
export function takeActions(trx: Writer): readonly (() => void)[] {
  const list = actions.get(trx) ?? [];
  actions.delete(trx);
  return list;
}

/** Runs the actions of a durable transaction. */
export function runActions(list: readonly (() => void)[]): void {
  for (const action of list) {
    try {
      action();
    } catch (error) {
      // The write has succeeded, so its caller must not see a failure; the error still has to surface.
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}
