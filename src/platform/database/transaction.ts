import { AsyncLocalStorage } from 'node:async_hooks';
import type { Writer } from './engine.ts';
import { writerOver } from './kysely.ts';
import { collectActions, type Session, takeActions } from './session.ts';

/** A session that lasts for one transaction. */
export interface TransactionSession extends Session {
  /** Set when the work has returned; from then on the session rejects every statement. */
  over: boolean;
}

/** Runs the work of transactions and tracks whether the caller is inside one. */
export class TransactionScope {
  readonly #current = new AsyncLocalStorage<TransactionSession>();

  /** Whether the caller is inside a transaction. */
  isInside(): boolean {
    return this.#current.getStore()?.over === false;
  }

  /** Throws inside a transaction: a nested write would wait for its own end. */
  refuseNesting(): void {
    if (this.isInside()) {
      throw new Error('database.write inside database.write: pass the transaction on instead');
    }
  }

  /** Runs the work on the session, then closes the session to statements that the work did not await. */
  async run<T>(
    session: TransactionSession,
    work: (trx: Writer) => Promise<T>,
  ): Promise<{ value: T; actions: readonly (() => void)[] }> {
    const trx = writerOver(session);
    collectActions(trx);
    try {
      const value = await this.#current.run(session, work, trx);
      return { value, actions: takeActions(trx) };
    } finally {
      session.over = true;
      takeActions(trx);
    }
  }
}

/** Throws if the transaction has ended: the statement would run inside the next one. */
export function assertOpen(session: TransactionSession): void {
  if (session.over) throw new Error('the transaction is over: a statement in it was not awaited');
}
