import { type RawBuilder, sql } from 'kysely';
import type { KeysetOrder } from '../database/keyset.ts';
import { param, withDefault } from '../http/params.ts';
import type { BoundMeaning, Column } from './filter.ts';

export type Direction = 'asc' | 'desc';

/** What an order expression may depend on besides columns. */
export interface Ordering<S> {
  readonly direction: Direction;
  readonly scope: S;
  /** The bound filters of the request. */
  readonly filters: Readonly<Record<string, BoundMeaning | undefined>>;
}

/** A sort expression and its direction. */
export type OrderKey = readonly [key: RawBuilder<unknown>, direction: Direction];

/** An order of a list; ties are broken by id. */
export interface Order<S = unknown> {
  by(ordering: Ordering<S>): OrderKey[];
  /**
   * The column that keyset pagination compares before the id; without `column` it compares the id only. Absent if the
   * order has no keyset.
   */
  readonly keyset?: { readonly column?: Column; readonly type: 'text' | 'integer' };
  /** The direction of the id, if it differs from that of the order. */
  readonly ties?: Direction;
}

/** Orders by a column without nulls. An index on it and the id serves each page, and keyset pagination is available. */
export function byColumn(column: Column, type: 'text' | 'integer', ties?: Direction): Order {
  const order: Order = {
    by: ({ direction }) => [[sql.ref(column), direction]],
    ...(ties && { ties }),
  };
  return ties ? order : { ...order, keyset: { column, type } };
}

/** Orders by id, which is also the order of creation. */
export const byId: Order = { by: () => [], keyset: { type: 'integer' } };

/**
 * Orders by a nullable column. Nulls come last in both directions, because the engines disagree about their default
 * place.
 */
export function byNullable(column: Column, ties?: Direction): Order {
  const ref = sql.ref(column);
  return {
    by: ({ direction }) => [
      [sql`case when ${ref} is null then 1 else 0 end`, 'asc'],
      [ref, direction],
    ],
    ...(ties && { ties }),
  };
}

/** Orders by any other SQL expression. */
export function byExpression<S>(by: Order<S>['by'], ties?: Direction): Order<S> {
  return ties ? { by, ties } : { by };
}

/** The keyset of an order; undefined if it has none. */
export function keysetOf(order: Order<never>, id: Column, direction: Direction): KeysetOrder | undefined {
  if (!order.keyset) return undefined;
  const { column, type } = order.keyset;
  const columns = column === undefined ? { [id]: 'integer' as const } : { [column]: type, [id]: 'integer' as const };
  return { columns, descending: direction === 'desc' };
}

const directions = ['asc', 'desc'] as const;

/** The parameters `order_by` and `sort`, as most lists define them. */
export function orderParams<const O extends string>(
  orders: Readonly<Record<O, unknown>>,
  by: NoInfer<O>,
  direction: Direction,
) {
  const names = Object.keys(orders) as O[];
  return {
    order_by: withDefault(param.oneOf(names), by),
    sort: withDefault(param.oneOf(directions), direction),
  };
}

/** A single parameter that combines order and direction, such as `created_asc`. */
export function orderWords<const O extends string>(orders: Readonly<Record<O, unknown>>) {
  const names = Object.keys(orders) as O[];
  return param.oneOf(names.flatMap((name) => directions.map((direction) => `${name}_${direction}` as const)));
}

/** Splits such a value into order and direction. */
export function readOrderWord<O extends string>(word: `${O}_${Direction}`): { by: O; direction: Direction } {
  const at = word.lastIndexOf('_');
  return { by: word.slice(0, at) as O, direction: word.slice(at + 1) as Direction };
}
