import type { Compilable, Kysely, RawBuilder, SelectQueryBuilder } from 'kysely';
import { Bound } from './bound.ts';
import { CompiledTexts } from './compiled-texts.ts';
import type { Engine, Reader } from './engine.ts';
import { type Asked, askedBy, type Form, shapeOf } from './form.ts';
import { beyond, type KeysetOrder, type KeysetSlice, type Position, sliceOf } from './keyset.ts';
import { countingOf, type Slice, totalShownBy } from './paging.ts';
import type { Tables } from './tables.ts';

type Db = Kysely<Tables>;
type Build<Q extends object, V extends keyof Q, L extends keyof Q, T> = (
  db: Db,
  ask: Asked<Q, V, L>,
  engine: Engine,
) => T;

/** A query whose text is built once for each shape of the filters put to it. */
export interface Shaped<Q extends object, R> {
  all(db: Reader, filter: Q): Promise<R[]>;
  first(db: Reader, filter: Q): Promise<R | undefined>;
}

/** An ordered query that is read by pages. */
export interface ShapedList<Q extends object, R> extends Shaped<Q, R> {
  /** One page, and how many rows the whole has, up to the limit of counting; by another filter, where one is given. */
  page(db: Reader, filter: Q, slice: Slice, counting?: Q): Promise<{ rows: R[]; total: number }>;
  /** One page alone. */
  rows(db: Reader, filter: Q, slice: Slice): Promise<R[]>;
  /** How many rows there are, up to the limit of counting. */
  count(db: Reader, filter: Q): Promise<number>;
  /** The rows after (or, backwards, before) a position, in an order that takes the place of the query's own. */
  walk(
    db: Reader,
    filter: Q,
    order: KeysetOrder,
    position: Position | undefined,
    perPage: number,
  ): Promise<KeysetSlice<R>>;
}

/** What is known at the execution. */
interface Given {
  readonly filter: object;
  readonly slice?: Slice;
  readonly position?: Position | undefined;
}

const questionOf = ({ filter }: Given) => filter;

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
 * const books = shapedList(form<Wanted>()({ values: ['shelf', 'title'] }), (db, ask) => {
 *   let query = db.selectFrom('books').selectAll().where('shelf_id', '=', ask.shelf);
 *   if (ask.title) query = query.where('title', '=', ask.title);
 *   return query.orderBy('id', ask.sort);
 * });
 * const { rows, total } = await books.page(database.read, { shelf: 7, sort: 'asc' }, page);
 * ```
 *
 * Make it at the top of a module, where the function that builds can see nothing of a request but what was asked.
 */
export function shaped<Q extends object, V extends keyof Q, L extends keyof Q, R>(
  form: Form<Q, V, L>,
  build: Build<Q, V, L, Compilable<R>>,
): Shaped<Q, R> {
  const texts = new CompiledTexts<Given>();
  const all = (db: Reader, filter: Q) =>
    texts.run(db, shapeOf(form, filter), { filter }, (compiler, engine) =>
      build(compiler, askedBy(form, filter, engine, questionOf) as Asked<Q, V, L>, engine),
    );
  return { all, first: async (db, filter) => (await all(db, filter))[0] };
}

const limit = new Bound((given: Given) => (given.slice as Slice).perPage);
const offset = new Bound((given: Given) => (given.slice as Slice).offset);

/** `shaped` for a query that is read by pages. */
export function shapedList<Q extends object, V extends keyof Q, L extends keyof Q, DB, T extends keyof DB, R>(
  form: Form<Q, V, L>,
  build: Build<Q, V, L, SelectQueryBuilder<DB, T, R>>,
): ShapedList<Q, R> {
  const texts = new CompiledTexts<Given>();
  const built = (filter: Q) => (db: Db, engine: Engine) =>
    build(db, askedBy(form, filter, engine, questionOf) as Asked<Q, V, L>, engine);
  const counted = async (db: Reader, shape: string, filter: Q) => {
    const write = (compiler: Db, engine: Engine) => countingOf(compiler, built(filter)(compiler, engine));
    const [found] = await texts.run(db, `count ${shape}`, { filter }, write);
    return Number(found?.total ?? 0);
  };
  const pageOf = (db: Reader, shape: string, filter: Q, slice: Slice) => {
    const write = (compiler: Db, engine: Engine) => built(filter)(compiler, engine).limit(limit).offset(offset);
    return texts.run(db, `page ${shape}`, { filter, slice }, write);
  };
  const list: ShapedList<Q, R> = {
    ...shaped(form, build),
    count: (db, filter) => counted(db, shapeOf(form, filter), filter),
    rows: (db, filter, slice) => pageOf(db, shapeOf(form, filter), filter, slice),
    page: async (db, filter, slice, counting) => {
      const shape = shapeOf(form, filter);
      const rows = await pageOf(db, shape, filter, slice);
      const total = totalShownBy(rows, slice);
      if (total !== undefined) return { rows, total };
      return { rows, total: counting ? await list.count(db, counting) : await counted(db, shape, filter) };
    },
    walk: async (db, filter, order, position, perPage) => {
      const key = `walk ${JSON.stringify(order)} ${position?.backwards} ${shapeOf(form, filter)}`;
      const values = position?.values.map((_, index) => new Bound((given: Given) => given.position?.values[index]));
      const write = (compiler: Db, engine: Engine) =>
        beyond(built(filter)(compiler, engine).clearOrderBy(), order, values, position?.backwards === true).limit(
          limit,
        );
      // One more than the page has tells whether anything follows.
      const slice = { offset: 0, perPage: perPage + 1 };
      return sliceOf(await texts.run(db, key, { filter, slice, position }, write), position, perPage);
    },
  };
  return list;
}
