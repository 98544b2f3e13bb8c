import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import type { Reader } from './engine.ts';
import type { Tables } from './tables.ts';

/** Which rows of an ordered query. */
export interface Slice {
  readonly offset: number;
  readonly perPage: number;
}

/** Counting stops one row past this many: whoever shows totals then leaves them out. */
export const countedRows = 10_000;

/** How many rows a list has that one page shows by itself: one that is not full, so that short lists cost one query. */
export function totalShownBy(rows: readonly unknown[], { offset, perPage }: Slice): number | undefined {
  return rows.length < perPage && (rows.length > 0 || offset === 0) ? offset + rows.length : undefined;
}

/** The query that counts the rows of another, up to the limit. */
export function countingOf<DB, T extends keyof DB, O>(db: Kysely<Tables>, query: SelectQueryBuilder<DB, T, O>) {
  const some = query
    .clearSelect()
    .clearOrderBy()
    .select(sql<number>`1`.as('one'))
    .limit(sql.lit(countedRows + 1));
  return db.selectFrom(some.as('some')).select((eb) => eb.fn.countAll<number>().as('total'));
}

/** Runs an ordered query for one page and counts the whole, up to the limit. */
export async function fetchPage<DB, T extends keyof DB, O>(
  db: Reader,
  query: SelectQueryBuilder<DB, T, O>,
  slice: Slice,
): Promise<{ rows: O[]; total: number }> {
  const rows = await query.limit(slice.perPage).offset(slice.offset).execute();
  const shown = totalShownBy(rows, slice);
  if (shown !== undefined) return { rows, total: shown };
  const { total } = await countingOf(db, query).executeTakeFirstOrThrow();
  return { rows, total: Number(total) };
}
