import { type SelectQueryBuilder, sql } from 'kysely';
import type { Reader } from '../database/engine.ts';
import { impliedTotal, maxCountedRows, type Slice } from '../database/paging.ts';
import type { StoredCount } from './stored-count.ts';

/**
 * Returns one page of an ordered query and the total number of rows, up to the count limit. This is the simple form of
 * the list kit, for the rows of one owner in one order (such as the keys of a user) with at most one filter. Lists that
 * callers can search, sort or filter by several parameters are declared with `list`.
 *
 * ```ts
 * export function listKeys(db: Reader, user: number, slice: Slice) {
 *   return fetchPage(db, db.selectFrom('keys').selectAll().where('user_id', '=', user).orderBy('id'), slice);
 * }
 * ```
 *
 * `kept` is SQL for a stored row count, which replaces counting.
 */
export async function fetchPage<DB, T extends keyof DB, O>(
  db: Reader,
  query: SelectQueryBuilder<DB, T, O>,
  slice: Slice,
  kept?: StoredCount,
): Promise<{ rows: O[]; total: number }> {
  const rows = await query.limit(slice.perPage).offset(slice.offset).execute();
  const shown = impliedTotal(rows, slice);
  if (shown !== undefined) return { rows, total: shown };
  if (kept) {
    const {
      rows: [known],
    } = await sql<{ total: number }>`select ${kept} as total`.execute(db);
    return { rows, total: Math.min(Number(known?.total), maxCountedRows + 1) };
  }
  const some = query
    .clearSelect()
    .clearOrderBy()
    .select(sql<number>`1`.as('one'))
    .limit(sql.lit(maxCountedRows + 1));
  const counted = db.selectFrom(some.as('some')).select((eb) => eb.fn.countAll<number>().as('total'));
  const { total } = await counted.executeTakeFirstOrThrow();
  return { rows, total: Number(total) };
}
