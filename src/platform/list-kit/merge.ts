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
import { countedRows } from '../database/paging.ts';
import { written } from '../database/shaped.ts';
import type { Tables } from '../database/tables.ts';
import type { Column, Condition } from './filter.ts';
import type { OrderKey } from './order.ts';
import { sortedRows } from './wanted.ts';

/** A query whose rows are the list's business. */
export type AnyQuery = SelectQueryBuilder<Tables, never, unknown>;

/** Which rows of an order. `end` is where they end: no part is read any further. */
interface Rows {
  readonly limit: Expression<number>;
  readonly offset: Expression<number>;
  readonly end: Expression<number>;
}

/** One part of a list with the keys that order it. */
interface Part {
  readonly query: AnyQuery;
  readonly keys: readonly OrderKey[];
  /** Its rows come in this order by themselves. */
  readonly inOrder?: boolean | undefined;
  /** All its rows are found before they are sorted, on this engine: it might rather walk the order and meet them late. */
  readonly foundOn?: Engine | undefined;
}

/**
 * The rows of several queries in one order. "This, or that" as one condition makes either engine read the table, where an
 * index has each of them in order: so each is read by itself as far as the page can reach, and the heads are merged.
 */
export function merged(db: Kysely<Tables>, parts: readonly Part[], { limit, offset, end }: Rows): Compilable<unknown> {
  const [first] = parts;
  if (!first) return written(db, sql`select 1 where 1 = 0`);
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
 * The same, where the rows are those of a table as they are: what is sought and merged are their numbers and keys, which
 * an index may have all of, and only the rows of the page are looked up.
 */
export function mergedLate(
  db: Kysely<Tables>,
  parts: readonly Part[],
  { limit, offset, end }: Rows,
  id: Column,
): Compilable<unknown> {
  const [first] = parts;
  if (!first) return written(db, sql`select 1 where 1 = 0`);
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
  return written(
    db,
    sql`select ${sql.table(table)}.* from (${page}) as page join ${sql.table(table)} on ${sql.ref(id)} = page.id
      order by ${by('page.')}`,
  );
}

/** The rows of a query, which the engine does not take apart: what has an offset is left as it is. */
function allOf(db: Kysely<Tables>, query: AnyQuery, engine: Engine): AnyQuery {
  const whole = (engine === 'sqlite' ? query.limit(sql.lit(-1)) : query).offset(sql.lit(0));
  return db.selectFrom(whole.as('found') as AliasedExpression<unknown, string>).selectAll() as unknown as AnyQuery;
}

const walkedKey = (index: number) => `walked_${index}`;

/** The keys of the first rows as those show them: what is made of a column is in their index, where the column may not be. */
export function keysOfFirst(keys: readonly OrderKey[], id: Column): OrderKey[] {
  const [table = ''] = id.split('.');
  return keys.map(([, direction], index) => [sql.ref(`${table}.${walkedKey(index)}`), direction]);
}

/**
 * The first rows of a table in an order, to be filtered. SQLite reads a query that has a limit row by row as it is asked for
 * them, so that what filters it leave come in that order too, and no further row is read once there are enough.
 */
export function firstRows(
  db: Kysely<Tables>,
  query: AnyQuery,
  keys: readonly OrderKey[],
  most: Bound<number>,
  id: Column,
): AnyQuery {
  const [table = ''] = id.split('.');
  const named = keys.reduce((shown, [key], index) => shown.select(key.as(walkedKey(index))), query);
  const rows = ordered({ query: named, keys }).limit(sql<number>`+${most}`);
  return db.selectFrom(rows.as(table) as AliasedExpression<unknown, string>).selectAll() as unknown as AnyQuery;
}

/** Those of a query's rows that are among the ids, which SQLite is to read first: it takes any table for a small one. */
export function amongIds(db: Kysely<Tables>, query: AnyQuery, ids: RawBuilder<{ id: number }>, key: Column): AnyQuery {
  const [, id = 'id'] = key.split('.');
  const listed = query.as('listed') as AliasedExpression<{ id: number }, 'listed'>;
  const both = db.selectFrom(sql<{ id: number }>`(${ids})`.as('found')).crossJoin(listed);
  return both.where(sql<SqlBool>`${sql.ref(`listed.${id}`)} = found.id`) as AnyQuery;
}

/** SQLite is to find no rows by this condition: it is asked of those that are found otherwise. */
export const unindexed = (condition: Condition): Condition => sql<SqlBool>`+(${condition})`;

/** The same rows, of which SQLite finds none by these conditions: it takes what they leave for fewer than it is. */
export function withoutIndexes(query: AnyQuery): AnyQuery {
  const { where } = query.toOperationNode();
  if (!where) return query;
  return query.clearWhere().where(unindexed(new ExpressionWrapper<Tables, never, SqlBool>(where.where)));
}

/** SQLite takes what a filter leaves for few rows, and would sort them: here it is known that they are many. */
export const likely = (condition: Condition): Condition => sql<SqlBool>`likelihood(${condition}, 0.95)`;

function ordered({ query, keys }: Part): AnyQuery {
  return keys.reduce((sorted, [key, direction]) => sorted.orderBy(key, direction), query);
}

/**
 * How far rows are counted: to the end, to where more are not sorted, to the limit of counting, or so far that it can be
 * taken off.
 */
export type CountedTo = 'all' | 'few' | 'limit' | 'twice';

/** Where counting ends at the latest. */
export const maxCounted = (upTo: Exclude<CountedTo, 'all'>): number =>
  upTo === 'few' ? sortedRows + 1 : (countedRows + 1) * (upTo === 'twice' ? 2 : 1);

/** The query that counts the rows of several. */
export function counted(
  db: Kysely<Tables>,
  queries: readonly AnyQuery[],
  upTo: CountedTo,
): Compilable<{ total: number }> {
  const most = upTo === 'all' ? undefined : sql.lit(maxCounted(upTo));
  const ones = queries.map((query) => {
    const each = query.clearSelect().clearOrderBy().select(sql<number>`1`.as('one'));
    return most ? each.limit(most) : each;
  });
  const [only] = ones;
  if (!only) return written(db, sql`select 0 as total`);
  // A second query around the only one is as much work again for SQLite.
  if (ones.length === 1) return written(db, sql`select count(*) as total from ${only} as counted`);
  const parts = ones.map((query, index) => sql`select one from ${query} as ${sql.ref(`part_${index}`)}`);
  const limit = most ? sql` limit ${most}` : sql``;
  return written(db, sql`select count(*) as total from (${union(parts)}${limit}) as counted`);
}

/**
 * The same of ids that an index has all of: SQLite skips along it in half the time that it counts, so that to skip first costs
 * those who have less nothing.
 */
export function countedAlong(
  db: Kysely<Tables>,
  query: AnyQuery,
  upTo: Exclude<CountedTo, 'all'>,
): Compilable<{ total: number }> {
  const most = maxCounted(upTo);
  const ids = query.clearSelect().select(sql<number>`1`.as('one'));
  const last = ids.limit(sql.lit(1)).offset(sql.lit(most - 1));
  return written(
    db,
    sql`select case when exists ${last} then ${sql.lit(most)} else (select count(*) from ${ids} as counted) end as total`,
  );
}

/** The query of the ids of several, of which so many are enough. */
export function firstIds(
  db: Kysely<Tables>,
  queries: readonly RawBuilder<unknown>[],
  most: number,
): Compilable<{ id: number }> {
  const parts = queries.map((ids, index) => sql`select id from (${ids}) as ${sql.ref(`ids_${index}`)}`);
  return written(db, sql<{ id: number }>`select id from (${union(parts)}) as found limit ${sql.lit(most)}`);
}

/** The query that counts the ids of several, up to the limit and to the last number that counts. */
export function countedIds(
  db: Kysely<Tables>,
  queries: readonly RawBuilder<unknown>[],
  last: Bound<number>,
): Compilable<{ total: number }> {
  const parts = queries.map(
    (ids, index) => sql`select id from (${ids}) as ${sql.ref(`ids_${index}`)} where id <= ${last}`,
  );
  const most = sql.lit(maxCounted('limit'));
  return written(
    db,
    sql`select count(*) as total from (select id from (${union(parts)}) as found limit ${most}) as counted`,
  );
}

const union = (parts: readonly RawBuilder<unknown>[]) => sql.join(parts, sql` union all `);
