import type { Compilable, Kysely, RawBuilder } from 'kysely';
import type { Engine, Reader } from './engine.ts';
import { type BoundFilter, type BoundProperties, bindFilter, filterShapeKey } from './form.ts';
import { type PlanMode, StatementCache } from './statement-cache.ts';
import type { Tables } from './tables.ts';

type Db = Kysely<Tables>;
type Build<Q extends object, V extends keyof Q, L extends keyof Q, T> = (
  db: Db,
  filter: BoundFilter<Q, V, L>,
  engine: Engine,
) => T;

/** A query that is compiled once for each shape of its filter. */
export interface ShapedQuery<Q extends object, R> {
  all(db: Reader, filter: Q): Promise<R[]>;
  first(db: Reader, filter: Q): Promise<R | undefined>;
}

/** The inputs of one execution. */
interface Inputs {
  readonly filter: object;
}

const filterOf = ({ filter }: Inputs) => filter;

/** Wraps raw SQL as a query that can be cached. */
export function rawQuery<R>(db: Db, text: RawBuilder<R>): Compilable<R> {
  return { compile: () => text.compile(db) };
}

/**
 * A query that comes in many shapes. Building its SQL takes as long as running it, so it is built once for each
 * combination of filters, and later executions only bind values. `boundProperties` declares which properties are bound; all others
 * determine the SQL.
 *
 * ```ts
 * interface Filter { readonly shelf: number; readonly title?: string; readonly sort: 'asc' | 'desc' }
 *
 * const books = shaped(form<Filter>()({ values: ['shelf', 'title'] }), (db, filter) => {
 *   let query = db.selectFrom('books').selectAll().where('shelf_id', '=', filter.shelf);
 *   if (filter.title) query = query.where('title', '=', filter.title);
 *   return query.orderBy('id', filter.sort).limit(100);
 * });
 * const rows = await books.all(database.read, { shelf: 7, sort: 'asc' });
 * ```
 *
 * Paged lists use the list kit instead. `plan` says whether PostgreSQL may reuse a generic plan, that is, whether the
 * plan for ten rows is as good for a thousand. Call it at the top of a module, so that the building function sees
 * nothing of a request except the filter.
 */
export function shapedQuery<Q extends object, V extends keyof Q, L extends keyof Q, R>(
  form: BoundProperties<Q, V, L>,
  build: Build<Q, V, L, Compilable<R>>,
  plan: PlanMode = 'custom',
): ShapedQuery<Q, R> {
  const statements = new StatementCache<Inputs>();
  const all = (db: Reader, filter: Q) =>
    statements.run(
      db,
      filterShapeKey(form, filter),
      { filter },
      (compiler, engine) => build(compiler, bindFilter(form, filter, engine, filterOf) as BoundFilter<Q, V, L>, engine),
      plan,
    );
  return { all, first: async (db, filter) => (await all(db, filter))[0] };
}
