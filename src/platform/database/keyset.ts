import { type Expression, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';

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

/** The query of the rows beyond the values, in order; deep in a table it costs what the first page costs. */
export function beyond<DB, T extends keyof DB, O>(
  query: SelectQueryBuilder<DB, T, O>,
  order: KeysetOrder,
  values: readonly (string | number | Expression<unknown>)[] | undefined,
  backwards: boolean,
): SelectQueryBuilder<DB, T, O> {
  const down = order.descending !== backwards;
  const refs = Object.keys(order.columns).map((column) => sql.ref(column));
  const comparison = down ? sql`<` : sql`>`;
  const walk = values ? query.where(sql<SqlBool>`(${sql.join(refs)}) ${comparison} (${sql.join([...values])})`) : query;
  return refs.reduce((ordered, ref) => ordered.orderBy(ref, down ? 'desc' : 'asc'), walk);
}

/** What the rows of a walk say that was asked for one more than the page has. */
export function sliceOf<O>(rows: O[], position: Position | undefined, perPage: number): KeysetSlice<O> {
  const more = rows.length > perPage;
  if (more) rows.length = perPage;
  if (position?.backwards) return { rows: rows.reverse(), more: true, earlier: more };
  return { rows, more, earlier: position !== undefined };
}
