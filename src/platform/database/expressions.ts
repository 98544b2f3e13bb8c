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

/** A text, or what stands for it in a query that is kept. */
export type Text = string | Bound<string>;

/** The smaller of two values, neither null. SQLite calls it `min`, PostgreSQL `least`. */
export function least<T>(a: Expression<T>, b: Expression<T>): RawBuilder<T> {
  return sql<T>`case when ${a} <= ${b} then ${a} else ${b} end`;
}

/**
 * Whether a column is among the numbers that a query finds, where its index is to be asked for each of them: PostgreSQL
 * takes a set for a table to join, and may rather read all rows.
 */
export function foundBy(column: Expression<number>, ids: RawBuilder<unknown>, engine: Engine): RawBuilder<SqlBool> {
  return engine === 'sqlite' ? sql<SqlBool>`${column} in (${ids})` : sql<SqlBool>`${column} = any(array(${ids}))`;
}

/** Whether the text contains the needle; letters match in either case, and nothing in the needle is special. */
export function contains(text: Expression<string | null>, needle: Text): RawBuilder<SqlBool> {
  const pattern = (change: (value: string) => string | null) =>
    typeof needle === 'string' ? ValueNode.create(change(needle)) : needle.to(change).toOperationNode();
  const patterns = [globOf, likeOf, regexOf].map(pattern);
  // The engines fold A to Z alone, as their indexes do, and each says the rest in words of its own: see the compilers.
  return sql<SqlBool>`${new ExpressionWrapper(FunctionNode.create(containing, [text.toOperationNode(), ...patterns]))}`;
}

/** Whether two texts are the same but for the case of A to Z; an index on `lower(column)` serves it. */
export function sameIgnoringCase(text: Expression<string | null>, other: Text): RawBuilder<SqlBool> {
  return sql<SqlBool>`lower(${text}) = lower(${other})`;
}

/** The number at a place in a query of `id`s; null behind its end. SQLite skips to it in half the time that it counts to it. */
export function idAt(ids: RawBuilder<unknown>, offset: number): RawBuilder<number | null> {
  return sql`(select id from (${ids}) as ids limit 1 offset ${sql.lit(offset)})`;
}
