import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';

/** The smaller of two values, neither null. SQLite calls it `min`, PostgreSQL `least`. */
export function least<T>(a: Expression<T>, b: Expression<T>): RawBuilder<T> {
  return sql<T>`case when ${a} <= ${b} then ${a} else ${b} end`;
}

/** The greater of two values, neither null. */
export function greatest<T>(a: Expression<T>, b: Expression<T>): RawBuilder<T> {
  return sql<T>`case when ${a} >= ${b} then ${a} else ${b} end`;
}

/** Whether the text contains the needle; letters A to Z match in either case, and nothing in the needle is special. */
export function contains(text: Expression<string | null>, needle: string): RawBuilder<SqlBool> {
  return likeIgnoringCase(text, `%${escapeLike(needle)}%`);
}

/** Whether the text begins with the needle, as `contains` compares. */
export function startsWith(text: Expression<string | null>, needle: string): RawBuilder<SqlBool> {
  return likeIgnoringCase(text, `${escapeLike(needle)}%`);
}

/** Whether two texts are the same but for the case of A to Z; an index on `lower(column)` serves it. */
export function sameIgnoringCase(text: Expression<string | null>, other: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`lower(${text}) = lower(${other})`;
}

/** The needle with what `like` treats as special taken literally, by way of `escape '\'`. */
export function escapeLike(needle: string): string {
  return needle.replace(/[\\%_]/g, '\\$&');
}

// Both sides go through the engine's lower(), which on both folds ASCII only; JavaScript would fold more.
function likeIgnoringCase(text: Expression<string | null>, pattern: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`lower(${text}) like lower(${pattern}) escape '\\'`;
}
