import type { Compilable, Kysely, RawBuilder } from 'kysely';
import { CompiledTexts, type Plan } from './compiled-texts.ts';
import type { Engine, Reader } from './engine.ts';
import { type BoundFilter, bindFilter, type Form, shapeOf } from './form.ts';
import type { Tables } from './tables.ts';

type Db = Kysely<Tables>;
type Build<Q extends object, V extends keyof Q, L extends keyof Q, T> = (
  db: Db,
  ask: BoundFilter<Q, V, L>,
  engine: Engine,
) => T;

/** A query whose text is built once for each shape of the filters put to it. */
export interface Shaped<Q extends object, R> {
  all(db: Reader, filter: Q): Promise<R[]>;
  first(db: Reader, filter: Q): Promise<R | undefined>;
}

/** What is known at the execution. */
interface Given {
  readonly filter: object;
}

const filterOf = ({ filter }: Given) => filter;

/** Raw SQL as a query that can be kept. */
export function written<R>(db: Db, text: RawBuilder<R>): Compilable<R> {
  return { compile: () => text.compile(db) };
}

/**
 * A query that comes in many shapes. Building its text takes as long as running it, so it is done once for each
 * combination of filters, and only the values are bound afterwards. `form` says what they are; whatever else is asked
 * with decides the text.
 *
 * ```ts
 * interface Wanted { readonly shelf: number; readonly title?: string; readonly sort: 'asc' | 'desc' }
 *
 * const books = shaped(form<Wanted>()({ values: ['shelf', 'title'] }), (db, ask) => {
 *   let query = db.selectFrom('books').selectAll().where('shelf_id', '=', ask.shelf);
 *   if (ask.title) query = query.where('title', '=', ask.title);
 *   return query.orderBy('id', ask.sort).limit(100);
 * });
 * const rows = await books.all(database.read, { shelf: 7, sort: 'asc' });
 * ```
 *
 * Lists that are read by pages are made by the list kit instead. `plan` is whether PostgreSQL may keep its plan: where that for
 * a list of ten is as good for a list of a thousand.
 * Make it at the top of a module, where the function that builds can see nothing of a request but what was asked.
 */
export function shaped<Q extends object, V extends keyof Q, L extends keyof Q, R>(
  form: Form<Q, V, L>,
  build: Build<Q, V, L, Compilable<R>>,
  plan: Plan = 'made each time',
): Shaped<Q, R> {
  const texts = new CompiledTexts<Given>();
  const all = (db: Reader, filter: Q) =>
    texts.run(
      db,
      shapeOf(form, filter),
      { filter },
      (compiler, engine) => build(compiler, bindFilter(form, filter, engine, filterOf) as BoundFilter<Q, V, L>, engine),
      plan,
    );
  return { all, first: async (db, filter) => (await all(db, filter))[0] };
}
