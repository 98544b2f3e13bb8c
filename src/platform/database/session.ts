import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import type { Engine, Reader, Writer } from './engine.ts';

/** A statement whose SQL never changes: a small number for caches within the process, a name for the server's. */
export interface Prepared {
  readonly id: number;
  readonly name: string;
  readonly sql: string;
  /** Its rows may be handed out again while nothing was committed. */
  readonly cached?: boolean;
}

/** What stands behind a `Reader` or `Writer`: Kysely's way to the engine, and beside it the short way of `statement`. */
export interface Session extends DatabaseConnection {
  readonly engine: Engine;
  /** The same for a text that will be asked for again, with other values. */
  executeAgain<R>(query: CompiledQuery): Promise<QueryResult<R>>;
  all(prepared: Prepared, parameters: readonly unknown[]): Promise<unknown[]>;
  first(prepared: Prepared, parameters: readonly unknown[]): Promise<unknown>;
  run(prepared: Prepared, parameters: readonly unknown[]): Promise<number>;
}

/** Kysely's way to read rows one by one. Nobody goes it: lists are read by pages, and nothing reads whole tables. */
export function refuseStream(): never {
  throw new Error('rows are read by pages, not as a stream');
}

const sessions = new WeakMap<Reader, Session>();
const actions = new WeakMap<Writer, (() => void)[]>();

/** Remembers which session a reader or writer runs on. */
export function bindSession(db: Reader, session: Session): void {
  sessions.set(db, session);
}

/** The session behind a reader or writer. */
export function sessionOf(db: Reader): Session {
  const session = sessions.get(db);
  if (!session) throw new Error('this needs database.read, or the transaction that database.write handed out');
  return session;
}

/** Runs the action once the transaction is durable; drops it when the transaction is rolled back. */
export function afterCommit(trx: Writer, action: () => void): void {
  const list = actions.get(trx);
  if (!list) throw new Error('afterCommit needs a transaction under way, as database.write hands it out');
  list.push(action);
}

/** From here until `takeActions`, `afterCommit` keeps actions for the transaction. */
export function keepActions(trx: Writer): void {
  actions.set(trx, []);
}

/** Ends the keeping; what was kept is the caller's to run, or to drop. */
export function takeActions(trx: Writer): readonly (() => void)[] {
  const list = actions.get(trx) ?? [];
  actions.delete(trx);
  return list;
}

/** Runs the actions of a transaction that has become durable. */
export function runActions(list: readonly (() => void)[]): void {
  for (const action of list) {
    try {
      action();
    } catch (error) {
      // The write has happened, so its caller must not be told that it failed; the error still has to surface.
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}
