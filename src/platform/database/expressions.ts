import {
  type Expression,
  ExpressionWrapper,
  FunctionNode,
  type RawBuilder,
  type SqlBool,
  sql,
  ValueNode,
} from 'kysely';
import type { Bound } from './bound.ts';
import { containing } from './compilers.ts';
import type { Engine } from './engine.ts';
import { globOf, likeOf, regexOf } from './letter-case.ts';

/** A text, or its placeholder in a cached query. */
export type Text = string | Bound<string>;

/** The smaller of two values, neither null. SQLite calls this `min`, PostgreSQL `least`. */
export function smallerOf<T>(a: Expression<T>, b: Expression<T>): RawBuilder<T> {
  return sql<T>`case when ${a} <= ${b} then ${a} else ${b} end`;
}

/**
 * Whether a column is among the ids of a query, written so that the index of the column is used for each id. PostgreSQL
 * treats a set as a table to join, and may scan all rows instead.
 */
export function isInIds(column: Expression<number>, ids: RawBuilder<unknown>, engine: Engine): RawBuilder<SqlBool> {
  return engine === 'sqlite' ? sql<SqlBool>`${column} in (${ids})` : sql<SqlBool>`${column} = any(array(${ids}))`;
}

/** Whether the text contains the needle, ignoring case; no character in the needle is special. */
export function contains(text: Expression<string | null>, needle: Text): RawBuilder<SqlBool> {
  const pattern = (change: (value: string) => string | null) =>
    typeof needle === 'string' ? ValueNode.create(change(needle)) : needle.to(change).toOperationNode();
  const patterns = [globOf, likeOf, regexOf].map(pattern);
  // The engines fold only A to Z, as do their indexes; other letters need engine-specific patterns: see the compilers.
  return sql<SqlBool>`${new ExpressionWrapper(FunctionNode.create(containing, [text.toOperationNode(), ...patterns]))}`;
}

/** Whether two texts are equal except for the case of A to Z; an index on `lower(column)` serves it. */
export function sameIgnoringCase(text: Expression<string | null>, other: Text): RawBuilder<SqlBool> {
  return sql<SqlBool>`lower(${text}) = lower(${other})`;
}

/**
 * The id at an offset in a query of `id`s; null past its end. SQLite skips rows in half the time it takes to count
 * them.
 */
export function idAt(ids: RawBuilder<unknown>, offset: number): RawBuilder<number | null> {
  return sql`(select id from (${ids}) as ids limit 1 offset ${sql.lit(offset)})`;
}
