import { type Selectable, sql } from 'kysely';
import type { Writer } from './engine.ts';
import { sessionOf } from './session.ts';
import type { Tables } from './tables.ts';

/** The tables whose rows have a number. */
type Numbered = { [T in keyof Tables]: Tables[T] extends { id: unknown } ? T : never }[keyof Tables];

/**
 * To `change` a row, or what a rule compares with it, others may still add rows that point to it; to `remove` it, they
 * may not, and those who are adding one are waited for. Whoever adds one where no foreign key does so says `keep`.
 */
export type Purpose = 'keep' | 'change' | 'remove';

const postgresLocks: Record<Purpose, string> = {
  keep: 'for key share',
  change: 'for no key update',
  remove: 'for update',
};

/**
 * The rows of these numbers as they are now, by number; nobody else changes them until the transaction ends. For
 * whatever looks before it writes: between the two, another transaction of PostgreSQL could otherwise commit. SQLite
 * has one writer at a time, so there it is a plain look.
 *
 * Two transactions that lock in different orders refuse each other, and one is run again. So, where it can be chosen:
 * named locks (`acquireLock`) before rows, namespaces before projects, both before what they hold.
 */
export async function lockRows<T extends Numbered>(
  trx: Writer,
  table: T,
  ids: readonly number[],
  purpose: Purpose = 'change',
): Promise<Selectable<Tables[T]>[]> {
  if (ids.length === 0) return [];
  const lock = sessionOf(trx).engine === 'postgres' ? sql.raw(postgresLocks[purpose]) : sql``;
  const { rows } = await sql<Selectable<Tables[T]>>`
    select * from ${sql.table(table)} where id in (${sql.join([...ids])}) order by id ${lock}`.execute(trx);
  return rows;
}

/** One row, as `lockRows` gives it; undefined when it is gone. */
export async function lockRow<T extends Numbered>(
  trx: Writer,
  table: T,
  id: number,
  purpose?: Purpose,
): Promise<Selectable<Tables[T]> | undefined> {
  return (await lockRows(trx, table, [id], purpose))[0];
}

/** Any number that tells these locks from others of the server. */
const locksOfHearth = 0x48_65;

/** Waits until nobody else has the lock of this name, and keeps it until the transaction ends: where no row stands for it. */
export async function acquireLock(trx: Writer, name: string): Promise<void> {
  if (sessionOf(trx).engine !== 'postgres') return;
  await sql`select pg_advisory_xact_lock(${sql.lit(locksOfHearth)}, hashtext(${name}))`.execute(trx);
}
