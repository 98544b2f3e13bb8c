import {
  type AliasedExpression,
  type Compilable,
  type Expression,
  ExpressionWrapper,
  type Kysely,
  type RawBuilder,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from 'kysely';
import type { Bound } from '../database/bound.ts';
import type { Engine } from '../database/engine.ts';
import { maxCountedRows } from '../database/paging.ts';
import { rawQuery } from '../database/shaped.ts';
import type { Tables } from '../database/tables.ts';
import type { Column, Condition } from './filter.ts';
import { maxSortedRows } from './list-plan.ts';
import type { OrderKey } from './order.ts';

/** A query with the type of its rows erased. */
export type AnyQuery = SelectQueryBuilder<Tables, never, unknown>;

/** The requested rows. `end` is offset plus limit: no part is read beyond it. */
interface Rows {
  readonly limit: Expression<number>;
  readonly offset: Expression<number>;
  readonly end: Expression<number>;
}

/** One scope's query and its sort keys. */
interface Part {
  readonly query: AnyQuery;
  readonly keys: readonly OrderKey[];
  /** The query already returns its rows in this order. */
  readonly inOrder?: boolean | undefined;
  /**
   * Set to the engine if all matching rows must be found before sorting, because the engine might otherwise walk the
   * order and find them late.
   */
  readonly foundOn?: Engine | undefined;
}

/**
 * Merges several queries into one order. With a single `or` condition either engine would scan the table, although an
 * index has the rows of each part in order. So each part is read separately up to the end of the page, and the results
 * are merged.
 */
export function mergeQueries(
  db: Kysely<Tables>,
  parts: readonly Part[],
  { limit, offset, end }: Rows,
): Compilable<unknown> {
  const [first] = parts;
  if (!first) return rawQuery(db, sql`select 1 where 1 = 0`);
  if (parts.length === 1) return ordered(first).limit(limit).offset(offset);
  const name = (index: number) => `order_${index}`;
  const heads = parts.map(({ query, keys }, part) => {
    const named = keys.reduce((shown, [key], index) => shown.select(key.as(name(index))), query);
    return sql`select * from ${ordered({ query: named, keys }).limit(end)} as ${sql.ref(`part_${part}`)}`;
  });
  const all = db.selectFrom(sql`(${union(heads)})`.as('heads')).selectAll() as AnyQuery;
  const order = first.keys.map(([, direction], index): OrderKey => [sql.ref(name(index)), direction]);
  return ordered({ query: all, keys: order }).limit(limit).offset(offset);
}

/**
 * Like `mergeQueries`, for lists that return table rows unchanged: only ids and sort keys are searched and merged, which an
 * index may cover, and then only the rows of the page are looked up.
 */
export function mergedByIds(
  db: Kysely<Tables>,
  parts: readonly Part[],
  { limit, offset, end }: Rows,
  id: Column,
): Compilable<unknown> {
  const [first] = parts;
  if (!first) return rawQuery(db, sql`select 1 where 1 = 0`);
  const [table = ''] = id.split('.');
  const name = (index: number) => `order_${index}`;
  const heads = parts.map(({ query, keys, inOrder, foundOn }, part) => {
    const bare = query.clearSelect().select(sql.ref<number>(id).as('id')) as AnyQuery;
    const named = keys.reduce((shown, [key], index) => shown.select(key.as(name(index))), bare);
    const shown = keys.map(([, direction], index): OrderKey => [sql.ref(name(index)), direction]);
    const found = foundOn && { query: allOf(db, named, foundOn), keys: shown };
    const head = inOrder ? named : ordered(found ?? { query: named, keys });
    return sql`select * from ${head.limit(sql<number>`+${end}`)} as ${sql.ref(`part_${part}`)}`;
  });
  const by = (prefix: string) =>
    sql.join(
      first.keys.map(([, direction], index) => sql`${sql.ref(`${prefix}${name(index)}`)} ${sql.raw(direction)}`),
    );
  const page = sql`${union(heads)} order by ${by('')} limit +${limit} offset ${offset}`;
  return rawQuery(
    db,
    sql`select ${sql.table(table)}.* from (${page}) as page join ${sql.table(table)} on ${sql.ref(id)} = page.id
      order by ${by('page.')}`,
  );
}

/** Keeps the engine from flattening the query, by means of an offset. */
function allOf(db: Kysely<Tables>, query: AnyQuery, engine: Engine): AnyQuery {
  const whole = (engine === 'sqlite' ? query.limit(sql.lit(-1)) : query).offset(sql.lit(0));
  return db.selectFrom(whole.as('found') as AliasedExpression<unknown, string>).selectAll() as unknown as AnyQuery;
}

const walkedKey = (index: number) => `walked_${index}`;

/**
 * The sort keys as columns of `firstRows`: an expression over a column may be in the index when the column itself is
 * not.
 */
export function firstRowKeys(keys: readonly OrderKey[], id: Column): OrderKey[] {
  const [table = ''] = id.split('.');
  return keys.map(([, direction], index) => [sql.ref(`${table}.${walkedKey(index)}`), direction]);
}

/**
 * The first rows of a table in an order, to be filtered. SQLite reads a subquery with a limit row by row, so the
 * filtered rows keep this order and reading stops as soon as the page is full.
 */
export function firstRows(
  db: Kysely<Tables>,
  query: AnyQuery,
  keys: readonly OrderKey[],
  maxRows: Bound<number>,
  id: Column,
): AnyQuery {
  const [table = ''] = id.split('.');
  const named = keys.reduce((shown, [key], index) => shown.select(key.as(walkedKey(index))), query);
  const rows = ordered({ query: named, keys }).limit(sql<number>`+${maxRows}`);
  return db.selectFrom(rows.as(table) as AliasedExpression<unknown, string>).selectAll() as unknown as AnyQuery;
}

/**
 * The rows of a query that have one of the ids. SQLite reads the ids first, because it assumes that every table is
 * small.
 */
export function joinIds(db: Kysely<Tables>, query: AnyQuery, ids: RawBuilder<{ id: number }>, key: Column): AnyQuery {
  const [, id = 'id'] = key.split('.');
  const listed = query.as('listed') as AliasedExpression<{ id: number }, 'listed'>;
  const both = db.selectFrom(sql<{ id: number }>`(${ids})`.as('found')).crossJoin(listed);
  return both.where(sql<SqlBool>`${sql.ref(`listed.${id}`)} = found.id`) as AnyQuery;
}

/** Keeps SQLite from using an index for the condition. */
export const unindexed = (condition: Condition): Condition => sql<SqlBool>`+(${condition})`;

/**
 * Keeps SQLite from using indexes for the conditions of a query, because it underestimates how many rows they match.
 */
export function withoutIndexes(query: AnyQuery): AnyQuery {
  const { where } = query.toOperationNode();
  if (!where) return query;
  return query.clearWhere().where(unindexed(new ExpressionWrapper<Tables, never, SqlBool>(where.where)));
}

/** SQLite assumes that a filter leaves few rows, and would sort them. This tells it that most rows match. */
export const likely = (condition: Condition): Condition => sql<SqlBool>`likelihood(${condition}, 0.95)`;

function ordered({ query, keys }: Part): AnyQuery {
  return keys.reduce((sorted, [key, direction]) => sorted.orderBy(key, direction), query);
}

/**
 * How far rows are counted: all of them, up to the number that is still sorted, up to the count limit, or up to twice
 * the count limit.
 */
export type CountLimit = 'all' | 'few' | 'limit' | 'twice';

/** The number at which counting stops. */
export const maxCount = (upTo: Exclude<CountLimit, 'all'>): number =>
  upTo === 'few' ? maxSortedRows + 1 : (maxCountedRows + 1) * (upTo === 'twice' ? 2 : 1);

/** Counts the rows of several queries. */
export function countQueries(
  db: Kysely<Tables>,
  queries: readonly AnyQuery[],
  upTo: CountLimit,
): Compilable<{ total: number }> {
  const maxRows = upTo === 'all' ? undefined : sql.lit(maxCount(upTo));
  const ones = queries.map((query) => {
    const each = query.clearSelect().clearOrderBy().select(sql<number>`1`.as('one'));
    return maxRows ? each.limit(maxRows) : each;
  });
  const [only] = ones;
  if (!only) return rawQuery(db, sql`select 0 as total`);
  // Wrapping a single query once more doubles the work for SQLite.
  if (ones.length === 1) return rawQuery(db, sql`select count(*) as total from ${only} as counted`);
  const parts = ones.map((query, index) => sql`select one from ${query} as ${sql.ref(`part_${index}`)}`);
  const limit = maxRows ? sql` limit ${maxRows}` : sql``;
  return rawQuery(db, sql`select count(*) as total from (${union(parts)}${limit}) as counted`);
}

/**
 * Like `countQueries`, for ids from a complete index. SQLite skips rows in half the time it takes to count them, so it first
 * checks whether the limit is reached.
 */
export function countByOffset(
  db: Kysely<Tables>,
  query: AnyQuery,
  upTo: Exclude<CountLimit, 'all'>,
): Compilable<{ total: number }> {
  const maxRows = maxCount(upTo);
  const ids = query.clearSelect().select(sql<number>`1`.as('one'));
  const last = ids.limit(sql.lit(1)).offset(sql.lit(maxRows - 1));
  return rawQuery(
    db,
    sql`select case when exists ${last} then ${sql.lit(maxRows)} else (select count(*) from ${ids} as counted) end as total`,
  );
}

/** Returns the first ids of several queries. */
export function firstIds(
  db: Kysely<Tables>,
  queries: readonly RawBuilder<unknown>[],
  maxRows: number,
): Compilable<{ id: number }> {
  const parts = queries.map((ids, index) => sql`select id from (${ids}) as ${sql.ref(`ids_${index}`)}`);
  return rawQuery(db, sql<{ id: number }>`select id from (${union(parts)}) as found limit ${sql.lit(maxRows)}`);
}

/** Counts the ids of several queries, up to the count limit and an upper id. */
export function countIds(
  db: Kysely<Tables>,
  queries: readonly RawBuilder<unknown>[],
  last: Bound<number>,
): Compilable<{ total: number }> {
  const parts = queries.map(
    (ids, index) => sql`select id from (${ids}) as ${sql.ref(`ids_${index}`)} where id <= ${last}`,
  );
  const maxRows = sql.lit(maxCount('limit'));
  return rawQuery(
    db,
    sql`select count(*) as total from (select id from (${union(parts)}) as found limit ${maxRows}) as counted`,
  );
}

const union = (parts: readonly RawBuilder<unknown>[]) => sql.join(parts, sql` union all `);
