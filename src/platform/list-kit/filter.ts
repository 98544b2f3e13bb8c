import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import { Bound, BoundList } from '../database/bound.ts';
import type { Engine, Reader } from '../database/engine.ts';
import { shapeOfText } from '../database/form.ts';
import type { SearchIndex } from '../database/search-index.ts';
import type { Tables } from '../database/tables.ts';
import type { Param } from '../http/params.ts';

/** A column qualified with its table, typed by the schema. */
export type Column = { [T in keyof Tables & string]: `${T}.${keyof Tables[T] & string}` }[keyof Tables & string];

export type Condition = Expression<SqlBool>;

/** The interpreted value of a filter parameter. Everything except `word` is bound at each execution. */
export interface Meaning {
  /** Selects a variant of the SQL, as an enum value does. */
  readonly word?: string;
  /** Bound as individual parameters; their number is part of the SQL. */
  readonly values?: readonly (string | number)[];
  /** Bound as one parameter of any length. */
  readonly list?: readonly (string | number)[];
  /** Matches many rows, although the filter is usually selective, so it does not drive the list. */
  readonly many?: boolean;
  /** The ids from which it drives may contain duplicates: they can drive the list but not its count. */
  readonly repeated?: boolean;
}

/** A meaning with placeholders for its values. */
export interface BoundMeaning {
  readonly word: string | undefined;
  readonly values: readonly Bound<string | number>[];
  readonly list: BoundList<string | number> | undefined;
}

/** All filter parameters of a request, by name. */
export type FilterInput = Readonly<Record<string, unknown>>;

export type ConditionOf<S> = (bound: BoundMeaning, scope: S, engine: Engine) => Condition;
/** A query with one column, `id`, that returns at least every matching row. */
export type IdsOf<S> = (
  bound: BoundMeaning,
  scope: S,
  engine: Engine,
  /** All filters of the request, for drives that cover several filters (`takesIn`). */
  sent: Readonly<Record<string, BoundMeaning>>,
) => RawBuilder<{ id: number }>;

/** How a selective filter drives a list, that is, how its matching rows are found before the others are filtered. */
export interface Drive<S> {
  /** Returns the ids; by default they are found by the filter's condition on the list's own table. */
  readonly ids?: IdsOf<S>;
  /** The ids are candidates from this search index; the condition still has to be evaluated. */
  readonly index?: SearchIndex;
  /** Reduces the search terms to the most selective ones, according to the contents of the index. */
  narrowed?(db: Reader, meaning: Meaning): Promise<Meaning>;
  /** PostgreSQL evaluates the condition, which an index answers, for each row while walking an order. */
  readonly asMet?: boolean;
  /**
   * An index has the rows by scope, by the condition and by `takesIn`; otherwise the ids are looked up regardless of
   * scope.
   */
  readonly scoped?: boolean;
  /** The index returns the rows of each value in id order, so that order can be read from it. */
  readonly ordered?: boolean;
  /**
   * The index that answers the condition alone includes this column: rows are sorted by it before they are looked up.
   */
  readonly orders?: Column;
  /** Other filters that the same index evaluates: the ids already satisfy these too. */
  readonly takesIn?: readonly string[];
  /** The ids are exactly the matching rows of the scope, so without other filters they alone are counted. */
  complete?(scope: S): boolean;
  /** The enum values of the filter that are selective; absent if the filter decides with `many`. */
  readonly words?: readonly string[];
  /** Ids are unique, so a long list can be counted from them when few of all rows match. */
  readonly counts?: boolean;
  /**
   * The ids belong to one person, a small part of the table, and are always read first. PostgreSQL would otherwise scan
   * the table rather than look up a few thousand rows.
   */
  readonly owned?: boolean;
}

/**
 * Adds the reduced terms of a search index to a meaning. Its values are the original texts, of which there are
 * `texts(meaning)` (one by default), followed by the SQLite match expression and the terms.
 */
export function termNarrower(index: SearchIndex, statements: (meaning: Meaning) => number = () => 1) {
  return async (db: Reader, meaning: Meaning): Promise<Meaning> => {
    const { values = [] } = meaning;
    const at = statements(meaning);
    const [match, ...terms] = values.slice(at) as string[];
    if (!match) return meaning;
    const narrowed = await index.narrowed(db, { match, terms });
    return { ...meaning, values: [...values.slice(0, at), narrowed.match, ...narrowed.terms] };
  };
}

/** Whether the filter is selective enough to drive the list. */
export function mayDrive(drive: Drive<never> | undefined, { word, many }: Meaning): boolean {
  if (!drive) return false;
  return drive.words && word !== undefined ? drive.words.includes(word) : !many;
}

/** Whether the driving ids of a filter account for all requested filters. */
export function coversAllFilters(drive: Drive<never> | undefined, name: string, sent: object): boolean {
  return Object.keys(sent).every((each) => each === name || drive?.takesIn?.includes(each));
}

/** Whether the driving ids of a filter contain every row that `not[…]` excludes. Not if it has several values. */
export function containsExcluded(drive: Drive<never> | undefined, meaning: Meaning): boolean {
  const single = meaning.list === undefined && (meaning.values?.length ?? 0) <= 1;
  return drive?.ids !== undefined && !drive.index && single && mayDrive(drive, meaning);
}

/**
 * A filter of a list: its request parameter, the values it binds, and its SQL condition. `N` says whether `not[…]`
 * accepts it.
 */
export interface Filter<P extends Param<unknown> = Param<unknown>, S = unknown, N extends boolean = boolean> {
  readonly param: P;
  readonly negatable: N;
  /** Undefined if the parameter does not filter. */
  read(sent: never, all: FilterInput): Meaning | undefined;
  condition(bound: BoundMeaning, scope: S, engine: Engine): Condition;
  /** The condition for `not[…]`, if it is not simply the opposite of `condition`. */
  readonly negation?: ConditionOf<S> | undefined;
  readonly drive?: Drive<S> | undefined;
  /** The column that it compares; a list in the order of this column starts reading at the bound. */
  readonly ranges?: Column | undefined;
  /** A condition on another column that follows from the filter's; a list in that order starts reading there. */
  readonly implies?: { readonly column: Column; readonly condition: ConditionOf<S> } | undefined;
}

export type ValueOf<P> = P extends Param<infer T> ? NonNullable<T> : never;

/** Allows the filter inside `not[…]`, which matches the rows for which the condition is not true. */
export function negatable<P extends Param<unknown>, S>(filter: Filter<P, S>): Filter<P, S, true> {
  return { ...filter, negatable: true };
}

/**
 * Makes a filter drive the list: its rows are looked up first and, if they are few, sorted instead of walking the order
 * of the whole list. For indexed filters that match few of all rows, such as an author.
 */
export function driving<P extends Param<unknown>, S, N extends boolean>(
  filter: Filter<P, S, N>,
  drive: Drive<S> = {},
): Filter<P, S, N> {
  return { ...filter, drive };
}

/** The condition of `not[…]`. Written as `is not true`, because a comparison with null is neither true nor false. */
export function negationOf<S>(filter: Filter<Param<unknown>, S>, ...args: Parameters<ConditionOf<S>>): Condition {
  return filter.negation?.(...args) ?? sql<SqlBool>`(${filter.condition(...args)}) is not true`;
}

/**
 * PostgreSQL underestimates the rows that match a filter and would collect all of them before sorting: 500,000 rows for
 * a page of twenty. A subquery with an offset is evaluated for each row instead.
 */
export const evaluatedPerRow = (condition: Condition): Condition =>
  sql<SqlBool>`exists (select 1 where ${condition} offset 0)`;

/** Two meanings have the same shape exactly if one prepared statement serves both. */
export function shapeOfMeaning({ word, values, list }: Meaning): string {
  return `${word === undefined ? '' : shapeOfText(word)}[${values?.length ?? ''}]${list ? '()' : ''}`;
}

/** Placeholders for a meaning that `find` reads from the inputs of an execution. */
export function boundMeaning<Inputs>(
  meaning: Meaning,
  engine: Engine,
  find: (inputs: Inputs) => Meaning | undefined,
): BoundMeaning {
  const list = (inputs: Inputs) => find(inputs)?.list ?? [];
  const type = typeof meaning.list?.[0] === 'string' ? 'text' : 'bigint';
  return {
    word: meaning.word,
    values: (meaning.values ?? []).map((_, index) => {
      return new Bound<string | number>((inputs: Inputs) => find(inputs)?.values?.[index] as string | number);
    }),
    list: meaning.list && new BoundList<string | number>(engine, list, type),
  };
}
