import { sql } from 'kysely';
import type { Bound } from '../database/bound.ts';
import type { Engine } from '../database/engine.ts';
import type { Reader } from '../http/parameters/param-readers.ts';
import { type Param, param } from '../http/params.ts';
import type { Column, Condition, ConditionOf, Filter, FilterInput, Meaning, ValueOf } from './filter.ts';

type Scalar = string | number;

/** How a parameter is converted into the value to compare. */
interface Options<T> {
  readonly to?: (sent: T) => Scalar | undefined;
  /** Filter by a blank string too, instead of ignoring it. */
  readonly blank?: boolean;
}

export function declare<P extends Param<unknown>, S>(
  declared: P,
  read: (sent: ValueOf<P>, all: FilterInput) => Meaning | undefined,
  condition: ConditionOf<S>,
  negation?: ConditionOf<S>,
): Filter<P, S, false> {
  return { param: declared, negatable: false, read: read as Filter['read'], condition, negation };
}

const scalar =
  <T>({ to, blank = false }: Options<T> = {}) =>
  (sent: T): Meaning | undefined => {
    const value = to ? to(sent) : (sent as Scalar);
    return value === undefined || (value === '' && !blank) ? undefined : { values: [value] };
  };

export const distinct = <T>(sent: readonly T[]) => [...new Set(sent)];

/** Filters by a condition on the value; a blank string does not filter. */
export function matches<P extends Param<Scalar | null>, S = unknown>(
  declared: P,
  condition: (value: Bound<ValueOf<P>>, scope: S, engine: Engine) => Condition,
  options?: Options<ValueOf<P>>,
): Filter<P, S, false> {
  return declare<P, S>(declared, scalar(options), ({ values: [value] }, scope, engine) =>
    condition(value as Bound<ValueOf<P>>, scope, engine),
  );
}

/** The column equals the value, or one of the values if it is a list. An empty list does not filter. */
export function equals<P extends Param<Scalar | null> | Param<Scalar[] | null>>(
  column: Column,
  declared: P,
  options?: Options<ValueOf<P>>,
): Filter<P, unknown, false> {
  const read = (sent: ValueOf<P>): Meaning | undefined => {
    if (!Array.isArray(sent)) return scalar(options)(sent);
    return sent.length === 0 ? undefined : { list: distinct(sent as Scalar[]) };
  };
  return declare(declared, read, ({ values: [value], list }) =>
    list ? sql`${sql.ref(column)} in ${list}` : sql`${sql.ref(column)} = ${value}`,
  );
}

/** The column equals none of the values. An empty list does not filter. */
export function excludes<P extends Param<Scalar[] | null>>(column: Column, declared: P): Filter<P, unknown, false> {
  const read = (sent: readonly Scalar[]) => (sent.length > 0 ? { list: distinct(sent) } : undefined);
  return declare(
    declared,
    read as (sent: ValueOf<P>) => Meaning | undefined,
    ({ list }) => sql`${sql.ref(column)} not in ${list}`,
  );
}

/** Compares the column with the value: `created_after` is `compare('issues.created_at', '>=', param.dateTime())`. */
export function compare<P extends Param<Scalar | null>>(
  column: Column,
  operator: '<' | '<=' | '>' | '>=',
  declared: P,
  options?: Options<ValueOf<P>>,
): Filter<P, unknown, false> {
  const by = sql.raw(operator);
  const condition: ConditionOf<unknown> = ({ values: [value] }) => sql`${sql.ref(column)} ${by} ${value}`;
  return { ...declare(declared, scalar(options), condition), ranges: column };
}

type ConditionIn<S> = Condition | ((scope: S, engine: Engine) => Condition);

const inScope = <S>(condition: ConditionIn<S>, scope: S, engine: Engine) =>
  typeof condition === 'function' ? condition(scope, engine) : condition;

const not = (condition: Condition): Condition => sql`(${condition}) is not true`;

/** `true` selects the rows that satisfy the condition, `false` the others. */
export function flag<S = unknown, P extends Param<boolean> = ReturnType<typeof param.boolean>>(
  condition: ConditionIn<S>,
  { otherwise, param: declared = param.boolean() as P }: { otherwise?: ConditionIn<S>; param?: P } = {},
): Filter<P, S, false> {
  return declare<P, S>(
    declared,
    (sent) => ({ word: String(sent) }),
    ({ word }, scope, engine) => {
      if (word === 'true') return inScope(condition, scope, engine);
      return otherwise ? inScope(otherwise, scope, engine) : not(inScope(condition, scope, engine));
    },
  );
}

/** A 0/1 column, compared in a way that can use a partial index on either value. */
export function isSet(column: Column) {
  const ref = sql.ref(column);
  return flag(sql`${ref} = 1`, { otherwise: sql`${ref} = 0` });
}

/** `true` selects the rows that satisfy the condition, `false` does not filter. */
export function whenTrue<S = unknown, P extends Param<boolean> = ReturnType<typeof param.boolean>>(
  condition: ConditionIn<S>,
  declared: P = param.boolean() as P,
): Filter<P, S, false> {
  return declare<P, S>(
    declared,
    (sent) => (sent ? { word: 'true' } : undefined),
    (_, scope, engine) => inScope(condition, scope, engine),
  );
}

/** An enum with a condition for each value; a null condition does not filter. */
export function choice<const W extends string, S = unknown>(
  conditions: Readonly<Record<W, ConditionIn<S> | null>>,
): Filter<ReturnType<typeof param.oneOf<W>>, S, false> {
  const declared = param.oneOf(Object.keys(conditions) as W[]);
  return declare<typeof declared, S>(
    declared,
    (sent) => (conditions[sent] === null ? undefined : { word: sent }),
    ({ word }, scope, engine) => inScope(conditions[word as W] as ConditionIn<S>, scope, engine),
  );
}

/** A list whose elements must all match. `not[…]` selects the rows that match none of them. */
export function matchesAll<P extends Param<Scalar[]>, S = unknown>(
  declared: P,
  each: (value: Bound<ValueOf<P>[number]>, scope: S, engine: Engine) => Condition,
): Filter<P, S, false> {
  type Element = Bound<ValueOf<P>[number]>;
  const all =
    (change: (condition: Condition) => Condition): ConditionOf<S> =>
    ({ values }, scope, engine) =>
      joinConditions(
        values.map((value) => change(each(value as Element, scope, engine))),
        'and',
      );
  const read = (sent: ValueOf<P>) => (sent.length === 0 ? undefined : { values: distinct(sent as Scalar[]) });
  return declare<P, S>(
    declared,
    read,
    all((condition) => condition),
    all(not),
  );
}

export function joinConditions(conditions: readonly Condition[], word: 'and' | 'or'): Condition {
  return sql`(${sql.join(conditions, word === 'and' ? sql` and ` : sql` or `)})`;
}

type Words<W extends string, S> = Readonly<Record<W, ConditionIn<S>>>;

/**
 * A filter that accepts keywords besides its values, usually `None` and `Any`, in any case: `withKeywords({ None: sql`…`,
 * Any: sql`…` }, equals('issues.milestone_id', param.integer()))`. With `anywhere`, one of a list is enough; the first of
 * these keywords counts.
 */
export function withKeywords<P extends Param<unknown>, const W extends string, S>(
  words: Words<W, S>,
  filter: Filter<P, S, false>,
  { anywhere = false }: { readonly anywhere?: boolean } = {},
): Filter<Param<ValueOf<P> | W, 'optional'>, S, false> {
  const known = new Map((Object.keys(words) as W[]).map((word) => [word.toLowerCase(), word]));
  // A list with a single keyword is read as that keyword.
  const wordOf = (raw: unknown): W | undefined => {
    const text = Array.isArray(raw) && raw.length === 1 ? raw[0] : raw;
    return typeof text === 'string' ? known.get(text.trim().toLowerCase()) : undefined;
  };
  const firstWordIn = (list: readonly unknown[]): W | undefined => {
    const found = list.map(wordOf);
    return [...known.values()].find((word) => found.includes(word));
  };
  const read: Reader<ValueOf<P> | W> = (raw, name, problems) => {
    const word = wordOf(raw);
    if (word !== undefined) return word;
    const value = filter.param.read(raw, name, problems) as ValueOf<P> | undefined;
    // `not[labels]` takes titles only.
    const isList = anywhere && Array.isArray(value) && !name.startsWith('not[');
    return (isList ? firstWordIn(value) : undefined) ?? value;
  };
  const declared: Param<ValueOf<P> | W, 'optional'> = {
    schema: { anyOf: [filter.param.schema, { type: 'string', enum: [...known.values()] }] },
    read,
    presence: 'optional',
  };
  const isWord = (bound: { readonly word?: string | undefined }) => bound.word !== undefined && bound.word in words;
  const condition: ConditionOf<S> = (bound, scope, engine) =>
    isWord(bound) ? inScope(words[bound.word as W], scope, engine) : filter.condition(bound, scope, engine);
  const { negation, drive } = filter;
  return {
    ...declare<typeof declared, S>(
      declared,
      (sent, all) => {
        const word = wordOf(sent);
        return word === undefined ? filter.read(sent as never, all) : { word, many: true };
      },
      condition,
      negation &&
        ((bound, scope, engine) =>
          isWord(bound) ? not(condition(bound, scope, engine)) : negation(bound, scope, engine)),
    ),
    drive,
  };
}
