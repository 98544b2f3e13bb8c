import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import { Bound } from '../database/bound.ts';
import type { Engine, Reader } from '../database/engine.ts';
import type { BoundFilter } from '../database/form.ts';
import {
  directionOf,
  isPastKeyset,
  type KeysetOrder,
  type KeysetSlice,
  type Position,
  sliceOf,
} from '../database/keyset.ts';
import { impliedTotal, maxCountedRows, type Slice } from '../database/paging.ts';
import { maxLookedUpRows } from '../database/search-index.ts';
import { lacksSearchIndexes } from '../database/search-indexes.ts';
import { sessionOf } from '../database/session.ts';
import { StatementCache } from '../database/statement-cache.ts';
import type { Tables } from '../database/tables.ts';
import { type ListCase, listCases } from './cases.ts';
import { Counting } from './counting.ts';
import {
  type AnyDeclaration,
  type Declaration,
  type Filters,
  hasReadStrategies,
  type InOrder,
  type Orders,
  type Scopes,
} from './declaration.ts';
import { mayDrive } from './filter.ts';
import {
  type Exactly,
  type FilterParams,
  type FilterValues,
  filterParams,
  readFilters,
  type SentFilters,
} from './filter-set.ts';
import {
  allFilters,
  inlinedPageSize,
  inputsOf,
  isBeyondWalk,
  isSortable,
  type ListPlan,
  maxTriedDrives,
  planModeOf,
  type QueryInputs,
} from './list-plan.ts';
import { firstIds, firstRowKeys, maxCount } from './merge.ts';
import { keysetOf, type OrderKey } from './order.ts';
import { ListQueries } from './queries.ts';

/**
 * A list whose filters and orders are each declared once. The declaration provides the parameters of its routes, a
 * cached statement for each combination of filters, offset and keyset pagination, totals up to the count limit, and the
 * cases of a test of query plans. Undeclared parameters are rejected; `not[…]` is derived from the declaration of a
 * filter. A `driving` filter is looked up first: if it leaves few rows, the list starts from these, otherwise it is
 * read in its order.
 *
 * ```ts
 * const scope = boundProperties<{ project: number; user: number }>()({ values: ['project', 'user'] });
 *
 * export const books = list({
 *   id: 'books.id',
 *   scope,
 *   filters: {
 *     author_id: negatable(driving(equals('books.author_id', param.integer()))),
 *     tags: negatable(matchesAll(param.commaList(), (tag) => sql`exists (select 1 from tags t
 *       where t.book_id = books.id and t.name = ${tag})`)),
 *     state: choice({ lent: sql`books.lent = 1`, free: sql`books.lent = 0`, all: null }),
 *     mine: whenTrue((scope: BoundFilterOf<typeof scope>) => sql`books.reader_id = ${scope.user}`),
 *     ...searchFilters({ index: bookSearch, columns: { title: 'books.title', summary: 'books.summary' } }),
 *   },
 *   orders: { created_at: byId, title: byColumn('books.title', 'text'), lent_at: byNullable('books.lent_at') },
 *   select: (db, scope) => db.selectFrom('books').selectAll('books').where('books.project_id', '=', scope.project),
 * });
 *
 * // The route: params: { ...books.params, ...orderParams(books.orders, 'created_at', 'desc') }
 * const { order_by, sort, ...filters } = params;
 * const { rows, total } = await books.page(db.read, { project, user }, filters, { by: order_by, direction: sort }, page);
 * ```
 *
 * If rows are visible for one of several reasons (public, or as a member; in the project, or in a group above it), the
 * list is read over several scopes, each of which an index returns in order.
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

/** A declared list, created by `list`. */
export class List<Q extends object, F, O, R> {
  /** The request parameters of the filters, including `not` if any filter is negatable. */
  readonly params: FilterParams<F>;
  readonly orders: O;
  readonly #list: AnyDeclaration;
  readonly #queries: ListQueries;
  readonly #statements = new StatementCache<QueryInputs>();
  readonly #counting: Counting;

  constructor(declaration: AnyDeclaration) {
    this.#list = declaration;
    this.#queries = new ListQueries(declaration);
    this.#counting = new Counting(declaration, this.#queries, this.#statements);
    this.params = filterParams(declaration.filters) as FilterParams<F>;
    this.orders = declaration.orders as O;
  }

  /**
   * Returns one page and the total number of rows, up to the count limit. Several scopes, which must be disjoint, are
   * merged in one order.
   */
  async page<S extends FilterValues<F>>(
    db: Reader,
    scope: Scopes<Q>,
    filters: Exactly<S, FilterValues<F>>,
    order: InOrder<O>,
    slice: Slice,
  ): Promise<{ rows: R[]; total: number }> {
    const plan = await this.#start(db, scope, filters, 'limit');
    if (plan.candidateIds?.length === 0 || plan.total === 0) return { rows: [], total: 0 };
    const rows = await this.#rows(db, plan, order, slice);
    const total = plan.total ?? impliedTotal(rows, slice);
    return { rows, total: total ?? (await this.#counting.count(db, plan, 'limit')) };
  }

  /** Returns one page without a total. */
  async rows<S extends FilterValues<F>>(
    db: Reader,
    scope: Scopes<Q>,
    filters: Exactly<S, FilterValues<F>>,
    order: InOrder<O>,
    slice: Slice,
  ): Promise<R[]> {
    return this.#rows(db, await this.#start(db, scope, filters), order, slice);
  }

  /** Returns the number of rows, up to the count limit unless `upTo` is `all`. */
  async count<S extends FilterValues<F>>(
    db: Reader,
    scope: Scopes<Q>,
    filters: Exactly<S, FilterValues<F>>,
    upTo: 'limit' | 'all' = 'limit',
  ): Promise<number> {
    const plan = await this.#start(db, scope, filters, upTo === 'limit' ? 'limit' : 'few');
    return upTo === 'limit' && plan.total !== undefined ? plan.total : this.#counting.count(db, plan, upTo);
  }

  /** The keyset of an order; undefined if the order does not support keyset pagination. */
  keyset({ by, direction }: InOrder<O>): KeysetOrder | undefined {
    return keysetOf(this.#queries.order(by), this.#list.id, direction);
  }

  /** Returns the rows after (or, backwards, before) a position, in an order returned by `keyset`. */
  async walk<S extends FilterValues<F>>(
    db: Reader,
    scope: Scopes<Q>,
    filters: Exactly<S, FilterValues<F>>,
    order: KeysetOrder,
    position: Position | undefined,
    perPage: number,
  ): Promise<KeysetSlice<R>> {
    const plan = await this.#start(db, scope, filters);
    // Read one row more than the page, to know whether another page follows.
    const slice = { offset: 0, perPage: perPage + 1 };
    const walkFirst = this.#queries.walksFirst(db, plan, Object.keys(order.columns)[0], slice);
    const late = walkFirst && (await this.#isBeyondWalk(db, plan, slice));
    const walkedRows = walkFirst && !late ? await this.#beyond(db, plan, order, position, slice, 'bounded') : [];
    if (walkedRows.length > perPage) return sliceOf(walkedRows, position, perPage);
    const found = walkFirst ? this.#queries.sorted(plan) : await this.#withoutWalk(db, plan);
    return sliceOf(await this.#beyond(db, found, order, position, slice), position, perPage);
  }

  async #beyond(
    db: Reader,
    plan: ListPlan,
    order: KeysetOrder,
    position: Position | undefined,
    slice: Slice,
    mode?: 'bounded',
  ): Promise<R[]> {
    const backwards = position?.backwards === true;
    const values = position?.values.map(
      (_, index) => new Bound((inputs: QueryInputs) => inputs.position?.values[index]),
    );
    const beyond = values && isPastKeyset(order, values, backwards);
    const direction = directionOf(order, backwards);
    const keys = Object.keys(order.columns).map((column): OrderKey => [sql.ref(column), direction]);
    const along = plan.candidateIds || plan.sortMatches ? undefined : { column: Object.keys(order.columns)[0] };
    const read = { along, ...(mode && { firstBy: keys, ...(beyond && { beyond }) }) };
    const size = inlinedPageSize(sessionOf(db).engine, slice);
    const shape = `walk ${size} ${JSON.stringify(order)} ${position?.backwards} ${mode ?? ''} ${this.#queries.shape(plan)}`;
    const build = (compiler: Kysely<Tables>, engine: Engine) => {
      const parts = plan.scopes.map((_, index) => {
        const query = this.#queries.read(compiler, plan, index, engine, read);
        return { query: beyond && !mode ? query.where(beyond) : query, keys, inOrder: mode && engine === 'sqlite' };
      });
      return this.#queries.merged(compiler, parts, size);
    };
    const inputs = { ...inputsOf(plan), slice, position };
    return this.#statements.run(db, shape, inputs, build, planModeOf(plan, size)) as Promise<R[]>;
  }

  /** Sample requests with every filter, and its `not[…]`, in every order, for a test of query plans. */
  cases(): ListCase<F, O>[] {
    return listCases(this.#list.filters, this.#list.orders) as ListCase<F, O>[];
  }

  /** Chooses how to read the list, by finding out which driving filters leave few rows. */
  async #start(db: Reader, scope: object, filters: object, upTo: 'few' | 'limit' = 'few'): Promise<ListPlan> {
    const sent = await this.#narrowed(db, readFilters(this.#list.filters, filters));
    const whole = hasReadStrategies(scope) ? [scope.whole] : Array.isArray(scope) ? scope : [scope];
    let ways: Promise<{ readonly scopes: readonly object[]; readonly few: boolean }> | undefined;
    const walkScopes = () =>
      (ways ??= hasReadStrategies(scope) ? scope.walked() : Promise.resolve({ scopes: whole, few: false }));
    const all = Object.entries(sent.is).filter(([name, meaning]) => mayDrive(this.#queries.drive(name), meaning));
    // Skip filters that the index of another driving filter evaluates as well.
    const drives = all.filter(([name]) => !all.some(([other]) => this.#queries.drive(other)?.takesIn?.includes(name)));
    const [single] = drives.length === 1 ? drives : [];
    if (single && this.#queries.mayCountFirst(single[0], sent)) {
      const counted = await this.#countFirst(db, { scopes: (await walkScopes()).scopes, sent }, single[0], upTo);
      if (counted) return counted;
    }
    for (const [name] of drives.slice(0, maxTriedDrives)) {
      const drive = this.#queries.drive(name);
      if (drive?.index && lacksSearchIndexes(db)) continue;
      const plan = { scopes: drive?.scoped ? (await walkScopes()).scopes : whole, sent };
      const shape = `ids ${name} ${this.#queries.shape(plan)}`;
      const found = await this.#statements.run(db, shape, inputsOf(plan), (compiler, engine) => {
        const drivingScopes = drive?.scoped ? plan.scopes : plan.scopes.slice(0, 1);
        const ids = drivingScopes.map((_, index) => this.#queries.ids(compiler, name, plan, index, engine));
        return firstIds(compiler, ids, maxLookedUpRows + 1);
      });
      const candidateIds = [...new Set(found.map(({ id }) => id))];
      if (found.length <= maxLookedUpRows)
        return { scopes: whole, sent, candidateIds, drivenBy: name, fromSearch: drive?.index !== undefined };
    }
    const [source] = drives.find(([name, { repeated }]) => this.#queries.canCount(db, name) && !repeated) ?? [];
    const isOnlyFilter = Object.keys(sent.is).length + Object.keys(sent.not).length === 1;
    if (source !== undefined && isOnlyFilter && this.#queries.drive(source)?.owned) {
      const owned = await this.#counted(db, { scopes: whole, sent, source: { filter: source, scopes: whole } }, upTo);
      if (owned.sortMatches) return owned;
    }
    const { scopes, few } = await walkScopes();
    const walkPlan = { scopes, sent };
    if (source === undefined || few) return walkPlan;
    // A search index covers the whole table: read a short list itself rather than all matches of the index elsewhere.
    const unfiltered = { scopes, sent: { is: {}, not: {} } };
    const byIndex = this.#queries.drive(source)?.index !== undefined;
    if (byIndex && (await this.#counting.count(db, unfiltered, 'limit')) <= maxCountedRows) return walkPlan;
    if (byIndex && upTo === 'limit' && (await this.#counting.sampleExceedsLimit(db, { scopes: whole, sent }))) {
      return { ...walkPlan, total: maxCountedRows + 1 };
    }
    // In one or two places a row costs less than in the whole list, where its place has to be checked.
    const perScope = this.#queries.drive(source)?.scoped === true || scopes.length <= 2;
    const plan = { ...walkPlan, source: { filter: source, scopes: perScope ? scopes : whole } };
    if (isOnlyFilter) return this.#counted(db, plan, upTo);
    const candidateIds = await this.#fewOf(db, plan);
    if (candidateIds.length > maxLookedUpRows) return { ...plan, walkFirst: true };
    return { scopes: whole, sent, candidateIds, drivenBy: allFilters, fromSearch: true };
  }

  /** The filters with search terms reduced to the most selective ones. */
  async #narrowed(db: Reader, sent: SentFilters): Promise<SentFilters> {
    for (const [name, meaning] of Object.entries(sent.is)) {
      const narrowed = meaning.many ? undefined : this.#queries.drive(name)?.narrowed;
      if (narrowed) return { ...sent, is: { ...sent.is, [name]: await narrowed(db, meaning) } };
    }
    return sent;
  }

  /** Counts the matches of a complete index before reading rows, since their number decides how to read them. */
  async #countFirst(
    db: Reader,
    walkPlan: ListPlan,
    filter: string,
    upTo: 'few' | 'limit',
  ): Promise<ListPlan | undefined> {
    const { engine } = sessionOf(db);
    const byIds = this.#queries.drive(filter)?.ids !== undefined;
    const complete = () =>
      walkPlan.scopes.every((_, index) => this.#queries.isComplete(walkPlan, filter, index, engine));
    if (byIds && !complete()) return undefined;
    const plan: ListPlan = byIds ? { ...walkPlan, source: { filter, scopes: walkPlan.scopes } } : walkPlan;
    return this.#counted(db, plan, upTo);
  }

  /** Counts the list, and decides whether its matches are sorted or its order is walked. */
  async #counted(db: Reader, plan: ListPlan, upTo: 'few' | 'limit'): Promise<ListPlan> {
    const total = await this.#counting.total(db, plan, upTo);
    const owned = plan.source && this.#queries.drive(plan.source.filter)?.owned;
    if (total <= maxLookedUpRows || (owned && isSortable(total))) return { ...this.#queries.sorted(plan), total };
    return { ...plan, walkFirst: true, ...((upTo === 'limit' || isSortable(total)) && { total }) };
  }

  /** The plan for a list that is not walked first: a few thousand matches among very many rows are sorted. */
  async #withoutWalk(db: Reader, plan: ListPlan): Promise<ListPlan> {
    if (!plan.walkFirst || !isSortable(plan.total)) return plan;
    const all = await this.#counting.total(db, { scopes: plan.scopes, sent: { is: {}, not: {} } }, 'twice');
    return all === maxCount('twice') ? this.#queries.sorted(plan) : plan;
  }

  /**
   * Whether a few thousand matches are sorted at once, because a bounded walk of the order would probably not find
   * enough.
   */
  async #isBeyondWalk(db: Reader, plan: ListPlan, slice: Slice): Promise<boolean> {
    if (!isSortable(plan.total)) return false;
    const all = await this.#counting.about(db, plan);
    return all !== undefined && isBeyondWalk(plan.total, slice, all);
  }

  /** The ids of the rows that match all filters, read by way of the counted filter; at most one more than `maxLookedUpRows`. */
  async #fewOf(db: Reader, base: ListPlan): Promise<number[]> {
    const plan = { ...base, scopes: base.source?.scopes ?? base.scopes };
    const shape = `few ${base.source?.filter} ${this.#queries.shape(plan)}`;
    const found = await this.#statements.run(db, shape, inputsOf(plan), (compiler, engine) => {
      const ids = plan.scopes.map((_, index) => {
        const { query, id } = this.#queries.matching(compiler, plan, index, engine);
        return sql`${query.clearSelect().select(sql.ref<number>(id).as('id'))}`;
      });
      return firstIds(compiler, ids, maxLookedUpRows + 1);
    });
    return found.map(({ id }) => id);
  }

  async #rows(db: Reader, plan: ListPlan, order: InOrder<O>, slice: Slice): Promise<R[]> {
    if (!this.#queries.walksFirst(db, plan, this.#queries.walkColumn(order.by), slice)) {
      return this.#slice(db, await this.#withoutWalk(db, plan), order, slice);
    }
    if (await this.#isBeyondWalk(db, plan, slice)) return this.#slice(db, this.#queries.sorted(plan), order, slice);
    const walkedRows = await this.#slice(db, plan, order, slice, 'bounded');
    const { total = maxCountedRows + 1 } = plan;
    const last = total > maxCountedRows ? Number.POSITIVE_INFINITY : total;
    if (walkedRows.length >= Math.min(slice.perPage, last - slice.offset)) return walkedRows;
    return this.#slice(db, this.#queries.sorted(plan), order, slice);
  }

  async #slice(
    db: Reader,
    plan: ListPlan,
    { by, direction }: InOrder<O>,
    slice: Slice,
    mode?: 'bounded',
  ): Promise<R[]> {
    const size = inlinedPageSize(sessionOf(db).engine, slice);
    const shape = `page ${size} ${by} ${direction} ${mode ?? ''} ${this.#queries.shape(plan)}`;
    const along = plan.candidateIds || plan.sortMatches ? undefined : { column: this.#queries.walkColumn(by) };
    const build = (compiler: Kysely<Tables>, engine: Engine) => {
      const parts = plan.scopes.map((_, index) => {
        const keys = this.#queries.keys(plan, index, by, direction, engine);
        if (this.#queries.includesSortKey(plan, index, by, engine)) {
          return { query: this.#queries.filtered(compiler, plan, index, engine, {}), keys, foundOn: engine };
        }
        const query = this.#queries.read(compiler, plan, index, engine, { along, ...(mode && { firstBy: keys }) });
        const shown = mode ? firstRowKeys(keys, this.#list.id) : keys;
        return { query, keys: shown, inOrder: mode && engine === 'sqlite' };
      });
      return this.#queries.merged(compiler, parts, size);
    };
    return this.#statements.run(db, shape, { ...inputsOf(plan), slice }, build, planModeOf(plan, size)) as Promise<R[]>;
  }
}
