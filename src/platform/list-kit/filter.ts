import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import { Bound, BoundList } from '../database/bound.ts';
import type { Engine, Reader } from '../database/engine.ts';
import { shapeOfText } from '../database/form.ts';
import type { SearchIndex } from '../database/search-index.ts';
import type { Tables } from '../database/tables.ts';
import type { Param } from '../http/params.ts';

/** A column with its table, as the schema has them. */
export type Column = { [T in keyof Tables & string]: `${T}.${keyof Tables[T] & string}` }[keyof Tables & string];

export type Condition = Expression<SqlBool>;

/** What a filter means by what was sent. Whatever is no word is bound at each execution. */
export interface Meaning {
  /** Decides the text of the query, as a choice among a few does. */
  readonly word?: string;
  /** Bound one by one: how many there are decides the text. */
  readonly values?: readonly (string | number)[];
  /** Bound as one, of any length. */
  readonly list?: readonly (string | number)[];
  /** Tends to leave many rows, whatever the filter otherwise does: they are not looked up first. */
  readonly many?: boolean;
  /** The ids that it drives by may come twice: a list starts from them, and is not counted by them. */
  readonly repeated?: boolean;
}

/** What stands for a meaning in the text of a query. */
export interface BoundMeaning {
  readonly word: string | undefined;
  readonly values: readonly Bound<string | number>[];
  readonly list: BoundList<string | number> | undefined;
}

/** Everything that was sent to a list, by the names of its filters. */
export type Sent = Readonly<Record<string, unknown>>;

export type ConditionOf<S> = (given: BoundMeaning, scope: S, engine: Engine) => Condition;
/** A query of one column, `id`, that no row is missing from. */
export type IdsOf<S> = (
  given: BoundMeaning,
  scope: S,
  engine: Engine,
  /** All that was sent, for those that the drive takes in. */
  sent: Readonly<Record<string, BoundMeaning>>,
) => RawBuilder<{ id: number }>;

/** How a list starts from a filter that tends to leave few rows. */
export interface Drive<S> {
  /** Where it is absent, the condition asks the list's own table. */
  readonly ids?: IdsOf<S>;
  /** The ids are those of all rows that can pass, found by this index: the condition has yet to be asked. */
  readonly index?: SearchIndex;
  /** What was sent as the index is best asked for it, which depends on what it holds. */
  narrowed?(db: Reader, meaning: Meaning): Promise<Meaning>;
  /** PostgreSQL is to ask the condition, which an index answers, of each row that a walk meets. */
  readonly asMet?: boolean;
  /** The condition is asked of the rows in scope, which an index has by it and by what it takes in; otherwise of all rows. */
  readonly scoped?: boolean;
  /** An index has the rows of each value in the order of their numbers: along that order they are read from it. */
  readonly ordered?: boolean;
  /** Its index, by which the condition alone finds rows, has this column: they are ordered by it before any is looked up. */
  readonly orders?: Column;
  /** Other filters that the same index knows: of the ids none is missing or too many by these either. */
  readonly takesIn?: readonly string[];
  /** The ids are all rows of the scope that pass, so that these alone are counted where nothing else was sent. */
  complete?(scope: S): boolean;
  /** Of the words that the filter takes, those that tend to leave few rows; absent where the filter says which do. */
  readonly words?: readonly string[];
  /** No id comes twice: a list of many is counted from them, where few of all rows are among them. */
  readonly counts?: boolean;
  /**
   * The ids are what one person has, which is little of all rows: they are always read first. PostgreSQL would rather go
   * through a table than look up some thousand of its rows.
   */
  readonly owned?: boolean;
}

/**
 * What was sent with what an index is best asked for. In the values, that stands behind the texts that it was made of, of
 * which there is one unless told: how SQLite is asked, and the terms.
 */
export function narrowedBy(index: SearchIndex, texts: (meaning: Meaning) => number = () => 1) {
  return async (db: Reader, meaning: Meaning): Promise<Meaning> => {
    const { values = [] } = meaning;
    const at = texts(meaning);
    const [match, ...terms] = values.slice(at) as string[];
    if (!match) return meaning;
    const narrowed = await index.narrowed(db, { match, terms });
    return { ...meaning, values: [...values.slice(0, at), narrowed.match, ...narrowed.terms] };
  };
}

/** Whether a list is to try what was sent as its start. */
export function mayDrive(drive: Drive<never> | undefined, { word, many }: Meaning): boolean {
  if (!drive) return false;
  return drive.words && word !== undefined ? drive.words.includes(word) : !many;
}

/** Whether the ids that a filter drives by are all that was asked for. */
export function takesAllIn(drive: Drive<never> | undefined, name: string, sent: object): boolean {
  return Object.keys(sent).every((each) => each === name || drive?.takesIn?.includes(each));
}

/** Whether the ids that a filter drives by hold every row that `not[…]` leaves out: of several values each may be one. */
export function holdsLeftOut(drive: Drive<never> | undefined, meaning: Meaning): boolean {
  const single = meaning.list === undefined && (meaning.values?.length ?? 0) <= 1;
  return drive?.ids !== undefined && !drive.index && single && mayDrive(drive, meaning);
}

/**
 * A filter of a list: the parameter that asks for it, what of it is bound, and the condition that it puts. `N` says
 * whether `not[…]` takes it too.
 */
export interface Filter<P extends Param<unknown> = Param<unknown>, S = unknown, N extends boolean = boolean> {
  readonly param: P;
  readonly negatable: N;
  /** Undefined where what was sent asks for nothing. */
  read(sent: never, all: Sent): Meaning | undefined;
  condition(given: BoundMeaning, scope: S, engine: Engine): Condition;
  /** What `not[…]` means, where that is more than what the condition does not hold for. */
  readonly negation?: ConditionOf<S> | undefined;
  readonly drive?: Drive<S> | undefined;
  /** What it compares: along this column a list starts where its rows do. */
  readonly ranges?: Column | undefined;
  /** What is true of another column wherever the filter's condition is: along that one a list starts there. */
  readonly implies?: { readonly column: Column; readonly condition: ConditionOf<S> } | undefined;
}

export type ValueOf<P> = P extends Param<infer T> ? NonNullable<T> : never;

/** `not[…]` takes the filter too: the rows for which its condition does not hold. */
export function negatable<P extends Param<unknown>, S>(filter: Filter<P, S>): Filter<P, S, true> {
  return { ...filter, negatable: true };
}

/**
 * Rows are looked up by the filter first: a list of few is sorted, rather than sought along the order of all. For what
 * an index finds and what is rare among all rows, such as an author.
 */
export function driving<P extends Param<unknown>, S, N extends boolean>(
  filter: Filter<P, S, N>,
  drive: Drive<S> = {},
): Filter<P, S, N> {
  return { ...filter, drive };
}

/** The condition of `not[…]`. A comparison with null is neither true nor false: what is not true is meant. */
export function negationOf<S>(filter: Filter<Param<unknown>, S>, ...args: Parameters<ConditionOf<S>>): Condition {
  return filter.negation?.(...args) ?? sql<SqlBool>`(${filter.condition(...args)}) is not true`;
}

/**
 * PostgreSQL takes what a filter leaves for few rows too, and would collect all of them before it looks at the first of an
 * order: 500,000 for a page of twenty. What has an offset it asks of each row as that is met.
 */
export const askedAsMet = (condition: Condition): Condition =>
  sql<SqlBool>`exists (select 1 where ${condition} offset 0)`;

/** Two meanings have the same shape when one text serves both, and never otherwise. */
export function shapeOfMeaning({ word, values, list }: Meaning): string {
  return `${word === undefined ? '' : shapeOfText(word)}[${values?.length ?? ''}]${list ? '()' : ''}`;
}

/** Stands for a meaning that an execution finds by `find`. */
export function boundMeaning<Given>(
  meaning: Meaning,
  engine: Engine,
  find: (given: Given) => Meaning | undefined,
): BoundMeaning {
  const list = (given: Given) => find(given)?.list ?? [];
  const type = typeof meaning.list?.[0] === 'string' ? 'text' : 'bigint';
  return {
    word: meaning.word,
    values: (meaning.values ?? []).map((_, index) => {
      return new Bound<string | number>((given: Given) => find(given)?.values?.[index] as string | number);
    }),
    list: meaning.list && new BoundList<string | number>(engine, list, type),
  };
}
