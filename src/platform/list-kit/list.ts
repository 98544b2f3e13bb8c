import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import { Bound, BoundList } from '../database/bound.ts';
import { CompiledTexts } from '../database/compiled-texts.ts';
import type { Engine, Reader } from '../database/engine.ts';
import { type BoundFilter, bindFilter, shapeOf } from '../database/form.ts';
import {
  directionOf,
  isBeyond,
  type KeysetOrder,
  type KeysetSlice,
  type Position,
  sliceOf,
} from '../database/keyset.ts';
import { countedRows, type Slice, totalShownBy } from '../database/paging.ts';
import { fewRows } from '../database/search-index.ts';
import { isMissing } from '../database/search-indexes.ts';
import type { Tables } from '../database/tables.ts';
import { type ListCase, listCases } from './cases.ts';
import {
  type AnyDeclaration,
  type Declaration,
  type Filters,
  type InOrder,
  isWays,
  type Orders,
  type Scopes,
} from './declaration.ts';
import { type Condition, type Filter, holdsLeftOut, mayDrive, negationOf, takesAllIn } from './filter.ts';
import {
  boundFilters,
  type Exactly,
  type FilterParams,
  type FilterValues,
  filterParams,
  readFilters,
  shapeOfFilters,
} from './filter-set.ts';
import {
  type AnyQuery,
  amongIds,
  type CountedTo,
  counted,
  countedIds,
  firstIds,
  likely,
  merged,
  mergedLate,
  withoutIndexes,
} from './merge.ts';
import { type Direction, keysetOf, type Order, type OrderKey } from './order.ts';
import { bounds, type Given, given, type Read, together, triedDrives, type Wanted } from './wanted.ts';

/**
 * A list whose filters and orders are each declared once. From the declaration come the parameters of its routes, one
 * kept text for each combination of what was sent, pages by offset and by keyset, totals up to the limit of counting, and
 * the cases for a test of query plans. What is not declared cannot be passed; `not[…]` is made from the same
 * declaration as the filter. A filter that is `driving` is looked up first: if it leaves few rows, the list starts from
 * these, and otherwise it is walked along its order.
 *
 * ```ts
 * const scope = form<{ project: number; user: number }>()({ values: ['project', 'user'] });
 *
 * export const books = list({
 *   id: 'books.id',
 *   scope,
 *   filters: {
 *     author_id: negatable(driving(equals('books.author_id', param.integer()))),
 *     tags: negatable(every(param.commaList(), (tag) => sql`exists (select 1 from tags t
 *       where t.book_id = books.id and t.name = ${tag})`)),
 *     state: choice({ lent: sql`books.lent = 1`, free: sql`books.lent = 0`, all: null }),
 *     mine: onlyIf((ask: BoundFilterOf<typeof scope>) => sql`books.reader_id = ${ask.user}`),
 *     ...searching({ index: bookSearch, columns: { title: 'books.title', summary: 'books.summary' } }),
 *   },
 *   orders: { created_at: byId, title: byColumn('books.title', 'text'), lent_at: byNullable('books.lent_at') },
 *   select: (db, ask) => db.selectFrom('books').selectAll('books').where('books.project_id', '=', ask.project),
 * });
 *
 * // The route: params: { ...books.params, ...orderParams(books.orders, 'created_at', 'desc') }
 * const { order_by, sort, ...filters } = params;
 * const { rows, total } = await books.page(db.read, { project, user }, filters, { by: order_by, direction: sort }, page);
 * ```
 *
 * What is seen for one of several reasons (public, or a member's; of the project, or of a group above it) is asked for as
 * several scopes, each of which an index can walk.
 */
export function list<
  Q extends object,
  V extends keyof Q,
  L extends keyof Q,
  const F extends Filters<BoundFilter<Q, V, L>>,
  const O extends Orders<BoundFilter<Q, V, L>>,
  DB,
  T extends keyof DB,
  R,
>(declaration: Declaration<Q, V, L, F, O, SelectQueryBuilder<DB, T, R>>): List<Q, F, O, R> {
  return new List(declaration as AnyDeclaration);
}

/** Whether the index that finds the rows of a filter has them in the order of a column. */
function isAlong({ ranges, drive }: Filter, column: string | undefined, id: string): boolean {
  if (ranges !== undefined) return ranges === column;
  return drive?.ordered === true && column === id;
}

type AnyBoundFilter = BoundFilter<Record<string, unknown>, string, string>;

/** What `list` makes. */
export class List<Q extends object, F, O, R> {
  /** The parameters of the filters, `not` among them where there is a filter that takes it. */
  readonly params: FilterParams<F>;
  readonly orders: O;
  readonly #list: AnyDeclaration;
  readonly #texts = new CompiledTexts<Given>();

  constructor(declaration: AnyDeclaration) {
    this.#list = declaration;
    this.params = filterParams(declaration.filters) as FilterParams<F>;
    this.orders = declaration.orders as O;
  }

  /**
   * One page, and how many rows the whole has, up to the limit of counting. Of several scopes, which must not share a
   * row, it is a page of all their rows in one order.
   */
  async page<S extends FilterValues<F>>(
    db: Reader,
    scope: Scopes<Q>,
    filters: Exactly<S, FilterValues<F>>,
    order: InOrder<O>,
    slice: Slice,
  ): Promise<{ rows: R[]; total: number }> {
    const wanted = await this.#start(db, scope, filters);
    if (wanted.among?.length === 0) return { rows: [], total: 0 };
    const rows = await this.#rows(db, wanted, order, slice);
    const total = totalShownBy(rows, slice);
    return { rows, total: total ?? (await this.#count(db, wanted, 'limit')) };
  }

  /** One page alone. */
  async rows<S extends FilterValues<F>>(
    db: Reader,
    scope: Scopes<Q>,
    filters: Exactly<S, FilterValues<F>>,
    order: InOrder<O>,
    slice: Slice,
  ): Promise<R[]> {
    return this.#rows(db, await this.#start(db, scope, filters), order, slice);
  }

  /** How many rows there are: up to the limit of counting, or all of them for those who ask for nothing else. */
  async count<S extends FilterValues<F>>(
    db: Reader,
    scope: Scopes<Q>,
    filters: Exactly<S, FilterValues<F>>,
    upTo: 'limit' | 'all' = 'limit',
  ): Promise<number> {
    return this.#count(db, await this.#start(db, scope, filters), upTo);
  }

  /** The keyset that walks the list in an order; undefined where the order has none. */
  keyset({ by, direction }: InOrder<O>): KeysetOrder | undefined {
    return keysetOf(this.#order(by), this.#list.id, direction);
  }

  /** The rows after (or, backwards, before) a position, in an order that `keyset` gave. */
  async walk<S extends FilterValues<F>>(
    db: Reader,
    scope: Scopes<Q>,
    filters: Exactly<S, FilterValues<F>>,
    order: KeysetOrder,
    position: Position | undefined,
    perPage: number,
  ): Promise<KeysetSlice<R>> {
    const wanted = await this.#start(db, scope, filters);
    const backwards = position?.backwards === true;
    const values = position?.values.map((_, index) => new Bound((known: Given) => known.position?.values[index]));
    const direction = directionOf(order, backwards);
    const keys = Object.keys(order.columns).map((column): OrderKey => [sql.ref(column), direction]);
    const along = wanted.among ? undefined : { column: Object.keys(order.columns)[0] };
    const build = (compiler: Kysely<Tables>, engine: Engine) => {
      const parts = wanted.scopes.map((_, index) => {
        const query = this.#filtered(compiler, wanted, index, engine, { along });
        return { query: values ? query.where(isBeyond(order, values, backwards)) : query, keys };
      });
      return this.#merged(compiler, parts);
    };
    const shape = `walk ${JSON.stringify(order)} ${position?.backwards} ${this.#shape(wanted)}`;
    // One more than the page has tells whether anything follows.
    const slice = { offset: 0, perPage: perPage + 1 };
    const rows = await this.#texts.run(db, shape, { ...given(wanted), slice, position }, build);
    return sliceOf(rows as R[], position, perPage);
  }

  /** Every filter, and its `not[…]`, in every order: what a test of query plans asks for. */
  cases(): ListCase<F, O>[] {
    return listCases(this.#list.filters, this.#list.orders) as ListCase<F, O>[];
  }

  #order(by: string): Order<unknown> {
    const order = this.#list.orders[by];
    if (!order) throw new Error(`the list has no order "${by}"`);
    return order;
  }

  /** The column whose index a list is read along; undefined where the order is none of a column. */
  #alongColumn(by: string): string | undefined {
    const { keyset } = this.#order(by);
    return keyset && (keyset.column ?? this.#list.id);
  }

  /** Finds out which of the filters that drive leaves few rows. */
  async #start(db: Reader, scope: object, filters: object): Promise<Wanted> {
    const sent = readFilters(this.#list.filters, filters);
    const whole = isWays(scope) ? [scope.whole] : Array.isArray(scope) ? scope : [scope];
    let ways: Promise<{ readonly scopes: readonly object[]; readonly few: boolean }> | undefined;
    const walked = () => (ways ??= isWays(scope) ? scope.walked() : Promise.resolve({ scopes: whole, few: false }));
    const drives = Object.entries(sent.is).filter(([name, meaning]) => mayDrive(this.#drive(name), meaning));
    for (const [name] of drives.slice(0, triedDrives)) {
      const drive = this.#drive(name);
      if (drive?.index && isMissing(db)) continue;
      const wanted = { scopes: drive?.scoped ? (await walked()).scopes : whole, sent };
      const shape = `ids ${name} ${this.#shape(wanted)}`;
      const found = await this.#texts.run(db, shape, given(wanted), (compiler, engine) => {
        const asked = drive?.scoped ? wanted.scopes : wanted.scopes.slice(0, 1);
        const ids = asked.map((_, index) => this.#ids(compiler, name, wanted, index, engine));
        return firstIds(compiler, ids, fewRows + 1);
      });
      const among = [...new Set(found.map(({ id }) => id))];
      if (found.length <= fewRows) return { scopes: whole, sent, among, drivenBy: name };
    }
    const { scopes, few } = await walked();
    const walk = { scopes, sent };
    const [joined] = drives.find(([name, { repeated }]) => this.#counts(db, name) && !repeated) ?? [];
    if (joined === undefined || few) return walk;
    // A search index is of all there is: a short list is read itself rather than all that the index finds elsewhere.
    const unfiltered = { scopes, sent: { is: {}, not: {} } };
    if (this.#drive(joined)?.index && (await this.#total(db, unfiltered, 'limit')) <= countedRows) return walk;
    const wanted = { ...walk, joined: { filter: joined, scopes: this.#drive(joined)?.scoped ? scopes : whole } };
    if (Object.keys(sent.is).length + Object.keys(sent.not).length === 1) return wanted;
    const among = await this.#fewOf(db, wanted);
    return among.length <= fewRows ? { scopes: whole, sent, among, drivenBy: together } : wanted;
  }

  /** The rows that pass all filters, read from what one of them has an index for; more than a few are not. */
  async #fewOf(db: Reader, walked: Wanted): Promise<number[]> {
    const wanted = { ...walked, scopes: walked.joined?.scopes ?? walked.scopes };
    const shape = `few ${walked.joined?.filter} ${this.#shape(wanted)}`;
    const found = await this.#texts.run(db, shape, given(wanted), (compiler, engine) => {
      const ids = wanted.scopes.map((_, index) => {
        const { query, id } = this.#passing(compiler, wanted, index, engine);
        return sql`${query.clearSelect().select(sql.ref<number>(id).as('id'))}`;
      });
      return firstIds(compiler, ids, fewRows + 1);
    });
    return found.map(({ id }) => id);
  }

  /** Whether more rows are left than are counted, whichever of them negations leave out: to ask each takes far longer. */
  async #surelyMany(db: Reader, walked: Wanted): Promise<boolean> {
    const { among, joined, scopes, sent } = walked;
    const left = Object.entries(sent.not);
    if (left.length === 0 || among || joined || scopes.length > 1) return false;
    if (!left.every(([name, meaning]) => holdsLeftOut(this.#drive(name), meaning))) return false;
    const total = await this.#total(db, { ...walked, sent: { ...sent, not: {} } }, 'twice');
    if (total <= countedRows) return false;
    const shape = `left out ${this.#shape(walked)}`;
    const [missing] = await this.#texts.run(db, shape, given(walked), (compiler, engine) => {
      const ids = left.map(([name]) => this.#ids(compiler, name, walked, 0, engine, 'not'));
      return countedIds(compiler, ids);
    });
    const most = Number(missing?.total ?? total);
    return most <= countedRows && total - most > countedRows;
  }

  /** Whether a list is counted from the ids of a filter. */
  #counts(db: Reader, name: string): boolean {
    const drive = this.#drive(name);
    return drive?.counts === true || (drive?.index !== undefined && !isMissing(db));
  }

  /** Whether nothing is to be asked of the rows that a filter finds. */
  #isComplete(wanted: Wanted, name: string, index: number, engine: Engine): boolean {
    const { is, not } = wanted.sent;
    if (!takesAllIn(this.#drive(name), name, is) || Object.keys(not).length > 0) return false;
    return this.#drive(name)?.complete?.(this.#scope(wanted, index, engine)) === true;
  }

  #drive(name: string) {
    return this.#list.filters[name]?.drive;
  }

  #ids(db: Kysely<Tables>, name: string, wanted: Wanted, index: number, engine: Engine, as: 'is' | 'not' = 'is') {
    const filter = this.#list.filters[name] as Filter;
    const scope = this.#scope(wanted, index, engine);
    const sent = boundFilters<Given>(wanted.sent, engine, (known) => known.sent);
    const meaning = sent[as][name];
    if (!meaning) throw new Error(`"${name}" was not sent`);
    if (filter.drive?.ids) return filter.drive.ids(meaning, scope, engine, sent.is);
    if (filter.drive?.scoped) {
      const rows = this.#list.select(db, scope, engine).clearSelect().select(sql.ref<number>(this.#list.id).as('id'));
      return sql<{ id: number }>`${rows.where(filter.condition(meaning, scope, engine))}`;
    }
    const [table = ''] = this.#list.id.split('.');
    return sql<{ id: number }>`select ${sql.ref(this.#list.id)} as id from ${sql.table(table)}
      where ${filter.condition(meaning, scope, engine)}`;
  }

  #scope({ scopes }: Wanted, index: number, engine: Engine) {
    const find = (known: Given) => known.scopes[index] as object;
    return bindFilter(this.#list.scope, scopes[index] as object, engine, find) as AnyBoundFilter;
  }

  #shape({ scopes, sent, drivenBy }: Wanted): string {
    const within = scopes.map((scope) => shapeOf(this.#list.scope, scope)).join('&');
    return `${scopes.length}:${within}|${shapeOfFilters(sent)}|${drivenBy ?? ''}`;
  }

  /** The rows of one of the scopes that pass the filters. */
  #filtered(db: Kysely<Tables>, wanted: Wanted, index: number, engine: Engine, read: Read): AnyQuery {
    const { filters, id } = this.#list;
    const scope = this.#scope(wanted, index, engine);
    const bound = boundFilters<Given>(wanted.sent, engine, ({ sent }) => sent);
    let query = this.#list.select(db, scope, engine);
    if (wanted.among) {
      const among = new BoundList(engine, ({ among: few }: Given) => few ?? []);
      query = (engine === 'sqlite' ? withoutIndexes(query) : query).where(among.has(sql.ref(id)));
    }
    const conditions: Condition[] = [];
    for (const [name, meaning] of Object.entries(bound.is)) {
      const filter = filters[name] as Filter;
      // What drives has been asked already, unless it only knows which rows can pass.
      if ((name === wanted.drivenBy || name === read.from) && !filter.drive?.index) continue;
      const condition = filter.condition(meaning, scope, engine);
      const many = read.along && filter.drive && !isAlong(filter, read.along.column, id);
      conditions.push(many && engine === 'sqlite' ? likely(condition) : condition);
    }
    for (const [name, meaning] of Object.entries(bound.not)) {
      conditions.push(negationOf(filters[name] as Filter, meaning, scope, engine));
    }
    return conditions.reduce((narrowed, condition) => narrowed.where(condition), query);
  }

  #rows(db: Reader, wanted: Wanted, { by, direction }: InOrder<O>, slice: Slice): Promise<R[]> {
    const shape = `page ${by} ${direction} ${this.#shape(wanted)}`;
    const { scopes } = wanted;
    const along = wanted.among ? undefined : { column: this.#alongColumn(by) };
    const rows = this.#texts.run(db, shape, { ...given(wanted), slice }, (compiler, engine) => {
      const parts = scopes.map((_, index) => ({
        query: this.#filtered(compiler, wanted, index, engine, { along }),
        keys: this.#keys(wanted, index, by, direction, engine),
      }));
      return this.#merged(compiler, parts);
    });
    return rows as Promise<R[]>;
  }

  #merged(compiler: Kysely<Tables>, parts: Parameters<typeof merged>[1]) {
    const { lateRows, id } = this.#list;
    return lateRows ? mergedLate(compiler, parts, bounds, id) : merged(compiler, parts, bounds);
  }

  #keys(wanted: Wanted, index: number, by: string, direction: Direction, engine: Engine): OrderKey[] {
    const order = this.#order(by);
    const scope = this.#scope(wanted, index, engine);
    const filters = boundFilters<Given>(wanted.sent, engine, ({ sent }) => sent).is;
    return [...order.by({ direction, scope, filters }), [sql.ref(this.#list.id), order.ties ?? direction]];
  }

  /** The rows of one of the scopes that pass the filters in no order, and what their numbers are called. */
  #passing(compiler: Kysely<Tables>, wanted: Wanted, index: number, engine: Engine): { query: AnyQuery; id: string } {
    const { joined } = wanted;
    if (joined && this.#isComplete(wanted, joined.filter, index, engine)) {
      const ids = sql<{ id: number }>`(${this.#ids(compiler, joined.filter, wanted, index, engine)})`;
      return { query: compiler.selectFrom(ids.as('found')) as AnyQuery, id: 'found.id' };
    }
    const from = joined && this.#drive(joined.filter)?.ids && joined.filter;
    const query = this.#filtered(compiler, wanted, index, engine, engine === 'sqlite' && from ? { from } : {});
    // PostgreSQL sees by itself when its index is worth reading. Along the order a page is met soon; all are not.
    if (!from || engine === 'postgres') return { query, id: this.#list.id };
    const ids = this.#ids(compiler, from, wanted, index, engine);
    return { query: amongIds(compiler, query, ids, this.#list.id), id: 'found.id' };
  }

  async #count(db: Reader, walked: Wanted, upTo: 'limit' | 'all'): Promise<number> {
    if (upTo === 'limit' && (await this.#surelyMany(db, walked))) return countedRows + 1;
    return this.#total(db, walked, upTo);
  }

  async #total(db: Reader, walked: Wanted, upTo: CountedTo): Promise<number> {
    const { joined } = walked;
    const wanted = joined ? { ...walked, scopes: joined.scopes } : walked;
    const shape = `count ${upTo} ${joined?.filter ?? ''} ${this.#shape(wanted)}`;
    const [found] = await this.#texts.run(db, shape, given(wanted), (compiler, engine) => {
      const parts = wanted.scopes.map((_, index) => this.#passing(compiler, wanted, index, engine).query);
      return counted(compiler, parts, upTo);
    });
    return Number(found?.total ?? 0);
  }
}
