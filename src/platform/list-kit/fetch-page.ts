import { type SelectQueryBuilder, sql } from 'kysely';
import type { Reader } from '../database/engine.ts';
import { countedRows, type Slice, totalShownBy } from '../database/paging.ts';
import type { Kept } from './kept.ts';

/**
 * One page of an ordered query, and how many rows the whole has, up to the limit of counting. The small form of the list
 * kit: for the rows of one owner in one order, such as the keys of a user, and at most one thing that they can be
 * narrowed by. Whatever callers can search, sort or combine filters of is declared by `list`.
 *
 * ```ts
 * export function listKeys(db: Reader, user: number, slice: Slice) {
 *   return fetchPage(db, db.selectFrom('keys').selectAll().where('user_id', '=', user).orderBy('id'), slice);
 * }
 * ```
 *
 * `kept` is what the database knows of the number of rows without counting them.
 */
export async function fetchPage<DB, T extends keyof DB, O>(
  db: Reader,
  query: SelectQueryBuilder<DB, T, O>,
  slice: Slice,
  kept?: Kept,
): Promise<{ rows: O[]; total: number }> {
  const rows = await query.limit(slice.perPage).offset(slice.offset).execute();
  const shown = totalShownBy(rows, slice);
  if (shown !== undefined) return { rows, total: shown };
  if (kept) {
    const {
      rows: [known],
    } = await sql<{ total: number }>`select ${kept} as total`.execute(db);
    return { rows, total: Math.min(Number(known?.total), countedRows + 1) };
  }
  const some = query
    .clearSelect()
    .clearOrderBy()
    .select(sql<number>`1`.as('one'))
    .limit(sql.lit(countedRows + 1));
  const counted = db.selectFrom(some.as('some')).select((eb) => eb.fn.countAll<number>().as('total'));
  const { total } = await counted.executeTakeFirstOrThrow();
  return { rows, total: Number(total) };
}
