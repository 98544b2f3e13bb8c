import { type Expression, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';

/**
 * An order without ties: qualified columns and their types, without nulls, the last one unique; all in one direction.
 */
export interface KeysetOrder {
  readonly columns: Readonly<Record<string, 'text' | 'integer'>>;
  readonly descending: boolean;
}

/** A cursor position: the sort values of the last row seen, and the direction of the walk. */
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

/** Restricts and orders a query to the rows beyond the values; a late page costs the same as the first. */
export function seekKeyset<DB, T extends keyof DB, O>(
  query: SelectQueryBuilder<DB, T, O>,
  order: KeysetOrder,
  values: readonly (string | number | Expression<unknown>)[] | undefined,
  backwards: boolean,
): SelectQueryBuilder<DB, T, O> {
  const rest = values ? query.where(isPastKeyset(order, values, backwards)) : query;
  const direction = directionOf(order, backwards);
  return Object.keys(order.columns).reduce((ordered, column) => ordered.orderBy(sql.ref(column), direction), rest);
}

/** The sort direction of a walk. */
export function directionOf({ descending }: KeysetOrder, backwards: boolean): 'asc' | 'desc' {
  return descending !== backwards ? 'desc' : 'asc';
}

/** Whether a row is beyond the values. */
export function isPastKeyset(
  order: KeysetOrder,
  values: readonly (string | number | Expression<unknown>)[],
  backwards: boolean,
): Expression<SqlBool> {
  const refs = Object.keys(order.columns).map((column) => sql.ref(column));
  const comparison = sql.raw(directionOf(order, backwards) === 'desc' ? '<' : '>');
  return sql<SqlBool>`(${sql.join(refs)}) ${comparison} (${sql.join([...values])})`;
}

/** Turns the rows of a walk, which requested one row more than the page has, into a page. */
export function sliceOf<O>(rows: O[], position: Position | undefined, perPage: number): KeysetSlice<O> {
  const more = rows.length > perPage;
  if (more) rows.length = perPage;
  if (position?.backwards) return { rows: rows.reverse(), more: true, earlier: more };
  return { rows, more, earlier: position !== undefined };
}
