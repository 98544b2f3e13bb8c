import type { Compilable, Expression, Kysely } from 'kysely';
import type { Reader } from './engine.ts';
import type { Tables } from './tables.ts';

/** Stands for a value given at each execution. */
export type Param<P> = <K extends keyof P & string>(name: K) => Expression<P[K]>;

/** A query compiled once, executed often. */
export interface Statement<P, R> {
  all(db: Reader, params: P): Promise<R[]>;
  first(db: Reader, params: P): Promise<R | undefined>;
}

/**
 * A query that is built and compiled on first use, once per engine, then runs as a prepared statement. Annotating
 * `param` names the parameters; the row type follows from the query:
 *
 * ```ts
 * const labelById = statement((db, param: Param<{ id: number }>) =>
 *   db.selectFrom('labels').select(['id', 'title']).where('id', '=', param('id')),
 * );
 * const label = await labelById.first(database.read, { id: 7 }); // or a transaction
 * ```
 */
export function statement<P extends object, R>(
  build: (db: Kysely<Tables>, param: Param<P>) => Compilable<R>,
): Statement<P, R> {
  throw new Error(`being written: ${build.name}`);
}
