import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely';

/** An order without ties: qualified columns with what they hold, never null, the last unique; all in one direction. */
export interface KeysetOrder {
  readonly columns: Readonly<Record<string, 'text' | 'integer'>>;
  readonly descending: boolean;
}

/** Where a walk stands: the ordering values of the row it has seen last, and which way it goes. */
export interface Position {
  readonly values: readonly (string | number)[];
  readonly backwards: boolean;
}

export interface KeysetSlice<O> {
  readonly rows: O[];
  /** There are rows after the last one. */
  readonly more: boolean;
  /** There are rows before the first one. */
  readonly earlier: boolean;
}

/** The rows after (or, backwards, before) a position; deep in a table this costs what the first page costs. */
export async function fetchKeyset<DB, T extends keyof DB, O>(
  query: SelectQueryBuilder<DB, T, O>,
  order: KeysetOrder,
  position: Position | undefined,
  perPage: number,
): Promise<KeysetSlice<O>> {
  const backwards = position?.backwards === true;
  const down = order.descending !== backwards;
  const refs = Object.keys(order.columns).map((column) => sql.ref(column));
  let walk = query;
  if (position) {
    const comparison = down ? sql`<` : sql`>`;
    walk = walk.where(sql<SqlBool>`(${sql.join(refs)}) ${comparison} (${sql.join([...position.values])})`);
  }
  for (const ref of refs) walk = walk.orderBy(ref, down ? 'desc' : 'asc');
  const rows = await walk.limit(perPage + 1).execute();
  const beyond = rows.length > perPage;
  if (beyond) rows.length = perPage;
  if (backwards) return { rows: rows.reverse(), more: true, earlier: beyond };
  return { rows, more: beyond, earlier: position !== undefined };
}
