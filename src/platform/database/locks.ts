import { type Selectable, sql } from 'kysely';
import type { Writer } from './engine.ts';
import { sessionOf } from './session.ts';
import type { Tables } from './tables.ts';

/** The tables with an `id` column. */
type Numbered = { [T in keyof Tables]: Tables[T] extends { id: unknown } ? T : never }[keyof Tables];

/**
 * The strength of a row lock. `change`: for updating the row or what a rule compares with it; others may still insert
 * rows that reference it. `remove`: for deleting it; waits for, and blocks, inserts of references. `keep`: for
 * inserting a reference where no foreign key takes this lock.
 */
export type RowLockStrength = 'keep' | 'change' | 'remove';

const postgresLocks: Record<RowLockStrength, string> = {
  keep: 'for key share',
  change: 'for no key update',
  remove: 'for update',
};

/**
 * Returns the current rows with these ids, ordered by id, and locks them until the transaction ends. For code that
 * checks before it writes: otherwise another PostgreSQL transaction could commit in between. SQLite has one writer at a
 * time, so there it is a plain read.
 *
 * Two transactions that lock in different orders deadlock, and one of them is retried. So lock in this order where
 * possible: named locks (`acquireLock`) before rows, namespaces before projects, both before the rows they contain.
 */
export async function lockRows<T extends Numbered>(
  trx: Writer,
  table: T,
  ids: readonly number[],
  purpose: RowLockStrength = 'change',
): Promise<Selectable<Tables[T]>[]> {
  if (ids.length === 0) return [];
  const lock = sessionOf(trx).engine === 'postgres' ? sql.raw(postgresLocks[purpose]) : sql``;
  const { rows } = await sql<Selectable<Tables[T]>>`
    select * from ${sql.table(table)} where id in (${sql.join([...ids])}) order by id ${lock}`.execute(trx);
  return rows;
}

/** Locks and returns one row; undefined if it does not exist. */
export async function lockRow<T extends Numbered>(
  trx: Writer,
  table: T,
  id: number,
  purpose?: RowLockStrength,
): Promise<Selectable<Tables[T]> | undefined> {
  return (await lockRows(trx, table, [id], purpose))[0];
}

/** An arbitrary number that separates these advisory locks from others on the server. */
const lockNamespace = 0x48_65;

/**
 * Takes the named lock, waiting if necessary, and holds it until the transaction ends. For rules that no row
 * represents.
 */
export async function acquireLock(trx: Writer, name: string): Promise<void> {
  if (sessionOf(trx).engine !== 'postgres') return;
  await sql`select pg_advisory_xact_lock(${sql.lit(lockNamespace)}, hashtext(${name}))`.execute(trx);
}
