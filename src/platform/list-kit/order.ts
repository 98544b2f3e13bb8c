import { type RawBuilder, sql } from 'kysely';
import type { KeysetOrder } from '../database/keyset.ts';
import { param, withDefault } from '../http/params.ts';
import type { BoundMeaning, Column } from './filter.ts';

export type Direction = 'asc' | 'desc';

/** What an order may be made of, beside columns. */
export interface Ordering<S> {
  readonly direction: Direction;
  readonly scope: S;
  /** What stands for the filters that were sent. */
  readonly filters: Readonly<Record<string, BoundMeaning | undefined>>;
}

/** A value that rows are ordered by, and which way. */
export type OrderKey = readonly [key: RawBuilder<unknown>, direction: Direction];

/** An order of a list; its rows' numbers decide between equals. */
export interface Order<S = unknown> {
  by(ordering: Ordering<S>): OrderKey[];
  /** The column that a walk by keyset compares before the number; absent where there is none. */
  readonly keyset?: { readonly column?: Column; readonly type: 'text' | 'integer' };
  /** The direction of the numbers, where it is not that of the order. */
  readonly ties?: Direction;
}

/** By a column that is never null: an index of it and the number gives each page, and a keyset can walk it. */
export function byColumn(column: Column, type: 'text' | 'integer', ties?: Direction): Order {
  const order: Order = {
    by: ({ direction }) => [[sql.ref(column), direction]],
    ...(ties && { ties }),
  };
  return ties ? order : { ...order, keyset: { column, type } };
}

/** By the rows' numbers alone, which is by time of creation too. */
export const byId: Order = { by: () => [], keyset: { type: 'integer' } };

/** By a column that may be null; null comes last either way, on which the engines disagree. */
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

/** By whatever else the database can compute. */
export function byExpression<S>(by: Order<S>['by'], ties?: Direction): Order<S> {
  return ties ? { by, ties } : { by };
}

/** The keyset of an order; undefined where it has none. */
export function keysetOf(order: Order<never>, id: Column, direction: Direction): KeysetOrder | undefined {
  if (!order.keyset) return undefined;
  const { column, type } = order.keyset;
  const columns = column === undefined ? { [id]: 'integer' as const } : { [column]: type, [id]: 'integer' as const };
  return { columns, descending: direction === 'desc' };
}

const directions = ['asc', 'desc'] as const;

/** `order_by` and `sort`, as most lists take them. */
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

/** `created_asc`, `created_desc` and so on, for lists that take both as one word. */
export function orderWords<const O extends string>(orders: Readonly<Record<O, unknown>>) {
  const names = Object.keys(orders) as O[];
  return param.oneOf(names.flatMap((name) => directions.map((direction) => `${name}_${direction}` as const)));
}

/** What one of those words says. */
export function readOrderWord<O extends string>(word: `${O}_${Direction}`): { by: O; direction: Direction } {
  const at = word.lastIndexOf('_');
  return { by: word.slice(0, at) as O, direction: word.slice(at + 1) as Direction };
}
