import { type SelectQueryBuilder, sql } from 'kysely';
import type { Reader } from './engine.ts';

/** Which rows of an ordered query. */
export interface Slice {
  readonly offset: number;
  readonly perPage: number;
}

/** Counting stops one row past this many: whoever shows totals then leaves them out. */
export const countedRows = 10_000;

/**
 * Runs an ordered query for one page and counts the whole, up to the limit. A page that is not full shows the total by
 * itself, so that short lists cost one query.
 */
export async function fetchPage<DB, T extends keyof DB, O>(
  db: Reader,
  query: SelectQueryBuilder<DB, T, O>,
  { offset, perPage }: Slice,
): Promise<{ rows: O[]; total: number }> {
  const rows = await query.limit(perPage).offset(offset).execute();
  if (rows.length < perPage && (rows.length > 0 || offset === 0)) return { rows, total: offset + rows.length };
  const some = query
    .clearSelect()
    .clearOrderBy()
    .select(sql<number>`1`.as('one'))
    .limit(countedRows + 1);
  const counted = await db
    .selectFrom(some.as('some'))
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return { rows, total: Number(counted.total) };
}
