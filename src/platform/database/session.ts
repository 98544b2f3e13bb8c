import type { Reader, Writer } from './engine.ts';

const actions = new WeakMap<Writer, (() => void)[]>();

/** Runs the action once the transaction is durable; drops it when the transaction is rolled back. */
export function afterCommit(trx: Writer, action: () => void): void {
  const list = actions.get(trx);
  if (!list) throw new Error('afterCommit needs a transaction that database.write handed out');
  list.push(action);
}
export type { Reader };
