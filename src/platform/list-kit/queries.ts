import { type Compilable, type Kysely, type SqlBool, sql } from 'kysely';
import { BoundList } from '../database/bound.ts';
import type { Engine, Reader } from '../database/engine.ts';
import { isInIds } from '../database/expressions.ts';
import { type BoundFilter, bindFilter, filterShapeKey } from '../database/form.ts';
import type { Slice } from '../database/paging.ts';
import { lacksSearchIndexes } from '../database/search-indexes.ts';
import { sessionOf } from '../database/session.ts';
import { rawQuery } from '../database/shaped.ts';
import type { Tables } from '../database/tables.ts';
import type { AnyDeclaration } from './declaration.ts';
import { type Condition, coversAllFilters, evaluatedPerRow, type Filter, negationOf } from './filter.ts';
import { boundFilters, type SentFilters, shapeOfFilters } from './filter-set.ts';
import { bounds, isSortable, type ListPlan, type QueryInputs, type Read } from './list-plan.ts';
import {
  type AnyQuery,
  countIds,
  firstRows,
  joinIds,
  likely,
  maxCount,
  mergedByIds,
  mergeQueries,
  unindexed,
  withoutIndexes,
} from './merge.ts';
import type { Direction, Order, OrderKey } from './order.ts';
import type { StoredCount } from './stored-count.ts';

/** Whether the index that serves a filter returns its rows in the order of a column. */
function isInOrderOf({ ranges, drive }: Filter, column: string | undefined, id: string): boolean {
  if (ranges !== undefined) return ranges === column;
  return drive?.ordered === true && column === id;
}

type AnyBoundFilter = BoundFilter<Record<string, unknown>, string, string>;

/** Builds the SQL queries of a list from its declaration. */
export class ListQueries {
  readonly #list: AnyDeclaration;

  constructor(declaration: AnyDeclaration) {
    this.#list = declaration;
  }

  order(by: string): Order<unknown> {
    const order = this.#list.orders[by];
    if (!order) throw new Error(`the list has no order "${by}"`);
    return order;
  }

  /** The column whose index returns the list in this order; undefined if the order is not by a single column. */
  walkColumn(by: string): string | undefined {
    const { keyset } = this.order(by);
    return keyset && (keyset.column ?? this.#list.id);
  }

  /** Whether the list can be counted from the ids of a filter. */
  canCount(db: Reader, name: string): boolean {
    const drive = this.drive(name);
    return drive?.counts === true || (drive?.index !== undefined && !lacksSearchIndexes(db));
  }

  /** Whether the ids of a filter need no further conditions. */
  isComplete(plan: ListPlan, name: string, index: number, engine: Engine): boolean {
    const { is, not } = plan.sent;
    if (!coversAllFilters(this.drive(name), name, is) || Object.keys(not).length > 0) return false;
    return this.drive(name)?.complete?.(this.scope(plan, index, engine)) === true;
  }

  /**
   * Whether the only driving filter can be counted before rows are read: for a single value by index, for several
   * values if the ids are unique, since counting stops after a few thousand.
   */
  mayCountFirst(name: string, { is, not }: SentFilters): boolean {
    const drive = this.drive(name);
    const { values = [], list, repeated } = is[name] ?? {};
    if (list !== undefined || repeated || (values.length > 1 && !(drive?.ids && drive.counts))) return false;
    return drive?.scoped === true && !drive.index && Object.keys(not).length === 0;
  }

  /**
   * Whether a bounded walk of the order is tried before sorting all matches. Not if PostgreSQL cannot tell that an
   * order by expression is already provided by an index; not if the list's own index returns the matches in this order;
   * not for ranges, which often match half of all rows (too many to sort) and find them in one run once the walk
   * reaches it; and not for a late page of a sortable result.
   */
  walksFirst(db: Reader, { walkFirst, sent, total }: ListPlan, column: string | undefined, slice: Slice): boolean {
    if (!walkFirst || !this.#list.lateRows) return false;
    if (isSortable(total) && 4 * (slice.offset + slice.perPage) > total) return false;
    const needsNoWalk = (name: string) => {
      if (this.#list.filters[name]?.ranges !== undefined) return true;
      return this.#isInIdOrder(name) && column === this.#list.id;
    };
    if (Object.keys(sent.is).some(needsNoWalk)) return false;
    return column !== undefined || sessionOf(db).engine === 'sqlite';
  }

  /** Whether the list's own index returns the rows of each value in id order. */
  #isInIdOrder(name: string): boolean {
    const drive = this.drive(name);
    return drive?.scoped === true && drive.ordered === true && !drive.ids;
  }

  /** The same plan, but the matches are found by the filters and then sorted. */
  sorted(plan: ListPlan): ListPlan {
    return { ...plan, scopes: plan.source?.scopes ?? plan.scopes, sortMatches: true };
  }

  drive(name: string) {
    return this.#list.filters[name]?.drive;
  }

  ids(db: Kysely<Tables>, name: string, plan: ListPlan, index: number, engine: Engine, as: 'is' | 'not' = 'is') {
    const filter = this.#list.filters[name] as Filter;
    const scope = this.scope(plan, index, engine);
    const sent = boundFilters<QueryInputs>(plan.sent, engine, (inputs) => inputs.sent);
    const meaning = sent[as][name];
    if (!meaning) throw new Error(`"${name}" was not sent`);
    if (filter.drive?.ids) return filter.drive.ids(meaning, scope, engine, sent.is);
    if (filter.drive?.scoped) {
      const rows = this.#list.select(db, scope, engine).clearSelect().select(sql.ref<number>(this.#list.id).as('id'));
      const found = (filter.drive.takesIn ?? []).reduce(
        (narrowed, other) => {
          const also = sent.is[other];
          return also ? narrowed.where((this.#list.filters[other] as Filter).condition(also, scope, engine)) : narrowed;
        },
        rows.where(filter.condition(meaning, scope, engine)),
      );
      return sql<{ id: number }>`${found}`;
    }
    const [table = ''] = this.#list.id.split('.');
    return sql<{ id: number }>`select ${sql.ref(this.#list.id)} as id from ${sql.table(table)}
      where ${filter.condition(meaning, scope, engine)}`;
  }

  scope({ scopes }: ListPlan, index: number, engine: Engine) {
    const find = (inputs: QueryInputs) => inputs.scopes[index] as object;
    return bindFilter(this.#list.scope, scopes[index] as object, engine, find) as AnyBoundFilter;
  }

  /** The stored row count of each scope. */
  storedCounts(plan: ListPlan, engine: Engine): (StoredCount | undefined)[] {
    const { is, not } = boundFilters<QueryInputs>(plan.sent, engine, ({ sent }) => sent);
    if (Object.keys(not).length > 0) return [];
    return plan.scopes.map((_, index) => {
      const scope = this.scope(plan, index, engine);
      return Object.keys(is).length === 0 ? this.#list.kept?.(scope) : this.#list.keptFiltered?.(scope, is, engine);
    });
  }

  /** The approximate number of rows in all scopes before filtering; undefined if no scope has one. */
  about(plan: ListPlan, engine: Engine): StoredCount | undefined {
    const parts = plan.scopes.flatMap((_, index) => {
      const scope = this.scope(plan, index, engine);
      return this.#list.about?.(scope) ?? this.#list.kept?.(scope) ?? [];
    });
    return parts.length === 0 ? undefined : sql`${sql.join(parts, sql` + `)}`;
  }

  shape({ scopes, sent, drivenBy, sortMatches, source }: ListPlan): string {
    const within = scopes.map((scope) => filterShapeKey(this.#list.scope, scope)).join('&');
    return `${scopes.length}:${within}|${shapeOfFilters(sent)}|${drivenBy ?? ''}|${sortMatches ? (source?.filter ?? '*') : ''}`;
  }

  /** The rows of one scope that match the filters. */
  filtered(db: Kysely<Tables>, plan: ListPlan, index: number, engine: Engine, read: Read): AnyQuery {
    const { filters, id } = this.#list;
    const scope = this.scope(plan, index, engine);
    const bound = boundFilters<QueryInputs>(plan.sent, engine, ({ sent }) => sent);
    let query = this.#list.select(db, scope, engine);
    for (const [name, meaning] of Object.entries(bound.is)) {
      const { implies } = filters[name] as Filter;
      if (!implies || implies.column !== read.along?.column) continue;
      query = query.where(implies.condition(meaning, scope, engine));
    }
    if (read.firstBy) {
      query = firstRows(db, read.beyond ? query.where(read.beyond) : query, read.firstBy, bounds.walked, id);
    }
    if (plan.candidateIds) {
      const candidateIds = new BoundList(engine, ({ candidateIds: few }: QueryInputs) => few ?? []);
      query = (engine === 'sqlite' ? withoutIndexes(query) : query).where(candidateIds.has(sql.ref(id)));
    }
    const conditions: Condition[] = [];
    // For known ids PostgreSQL would query a search index a second time.
    const perRow = ({ drive }: Filter) =>
      plan.candidateIds ? drive?.index !== undefined : read.firstBy && drive?.asMet;
    for (const [name, meaning] of Object.entries(bound.is)) {
      const filter = filters[name] as Filter;
      // The driving filter is already satisfied, unless its index only returns candidates.
      if ((name === plan.drivenBy || name === read.from) && !filter.drive?.index) continue;
      const condition = filter.condition(meaning, scope, engine);
      const many = read.along && filter.drive && !isInOrderOf(filter, read.along.column, id);
      if (engine === 'sqlite' && plan.candidateIds) conditions.push(unindexed(condition));
      else if (engine === 'sqlite') conditions.push(many ? likely(condition) : condition);
      else conditions.push(perRow(filter) ? evaluatedPerRow(condition) : condition);
    }
    for (const [name, meaning] of Object.entries(bound.not)) {
      conditions.push(negationOf(filters[name] as Filter, meaning, scope, engine));
    }
    return conditions.reduce((narrowed, condition) => narrowed.where(condition), query);
  }

  /** The rows of one scope that match the filters, to be sorted. */
  read(db: Kysely<Tables>, plan: ListPlan, index: number, engine: Engine, read: Read): AnyQuery {
    return plan.sortMatches ? this.#found(db, plan, index, engine) : this.filtered(db, plan, index, engine, read);
  }

  /** Like `read`, but the matches are found by the filters before they are sorted. */
  #found(db: Kysely<Tables>, plan: ListPlan, index: number, engine: Engine): AnyQuery {
    const from = this.#source(plan, index, engine);
    if (from) {
      const query = this.filtered(db, plan, index, engine, { from });
      const found = isInIds(sql.ref<number>(this.#list.id), this.ids(db, from, plan, index, engine), engine);
      return (engine === 'sqlite' ? withoutIndexes(query) : query).where(found);
    }
    const { query, id } = this.matching(db, plan, index, engine);
    const ids = query.clearSelect().select(sql.ref<number>(id).as('id'));
    const rows = this.#list.select(db, this.scope(plan, index, engine), engine);
    const own = sql.ref(this.#list.id);
    if (engine === 'sqlite') return withoutIndexes(rows).where(sql<SqlBool>`${own} in ${ids}`);
    return rows.where(sql<SqlBool>`${own} = any(array(${ids}))`);
  }

  /** Whether the index of a filter returns all matches together with their sort key. */
  includesSortKey(plan: ListPlan, index: number, by: string, engine: Engine): boolean {
    const { source, sortMatches } = plan;
    const orders = source && this.drive(source.filter)?.orders;
    if (!sortMatches || orders === undefined || orders !== this.walkColumn(by)) return false;
    return this.isComplete(plan, source?.filter ?? '', index, engine);
  }

  merged(compiler: Kysely<Tables>, parts: Parameters<typeof mergeQueries>[1], size: number | undefined) {
    const { lateRows, id } = this.#list;
    const rows = size === undefined ? bounds : { limit: sql.lit(size), offset: sql.lit(0), end: sql.lit(size) };
    return lateRows ? mergedByIds(compiler, parts, rows, id) : mergeQueries(compiler, parts, rows);
  }

  keys(plan: ListPlan, index: number, by: string, direction: Direction, engine: Engine): OrderKey[] {
    const order = this.order(by);
    const scope = this.scope(plan, index, engine);
    const filters = boundFilters<QueryInputs>(plan.sent, engine, ({ sent }) => sent).is;
    return [...order.by({ direction, scope, filters }), [sql.ref(this.#list.id), order.ties ?? direction]];
  }

  /** The matching rows of one scope without an order, and the name of their id column. */
  matching(compiler: Kysely<Tables>, plan: ListPlan, index: number, engine: Engine): { query: AnyQuery; id: string } {
    const { source } = plan;
    if (source && this.isComplete(plan, source.filter, index, engine)) {
      const ids = sql<{ id: number }>`(${this.ids(compiler, source.filter, plan, index, engine)})`;
      return { query: compiler.selectFrom(ids.as('found')) as AnyQuery, id: 'found.id' };
    }
    const from = this.#source(plan, index, engine);
    const query = this.filtered(compiler, plan, index, engine, from ? { from } : {});
    // Walking the order finds one page quickly, but not all matches.
    if (!from) return { query, id: this.#list.id };
    const ids = this.ids(compiler, from, plan, index, engine);
    if (engine === 'sqlite') return { query: joinIds(compiler, query, ids, this.#list.id), id: 'found.id' };
    return { query: query.where(isInIds(sql.ref(this.#list.id), ids, engine)), id: this.#list.id };
  }

  /**
   * The filter whose ids are read to find the matches. PostgreSQL decides for itself when that pays, unless the filter
   * is `owned`.
   */
  #source(plan: ListPlan, index: number, engine: Engine): string | undefined {
    const { source } = plan;
    if (!source || this.isComplete(plan, source.filter, index, engine)) return undefined;
    const drive = this.drive(source.filter);
    return drive?.ids && (engine === 'sqlite' || drive.owned) ? source.filter : undefined;
  }

  /**
   * Counts the rows before negated filters are applied and, if they are read in id order, returns the last id: a label
   * on half of all rows excludes as many of the first rows as of any others.
   */
  beforeNegation(
    compiler: Kysely<Tables>,
    plan: ListPlan,
    engine: Engine,
  ): Compilable<{ total: number; last: number | null }> {
    const { is } = plan.sent;
    const id = sql.ref<number>(this.#list.id);
    const rows = this.filtered(compiler, { ...plan, sent: { is, not: {} } }, 0, engine, {})
      .clearSelect()
      .select(id.as('id'))
      .limit(sql.lit(maxCount('twice')));
    const byNumber = Object.keys(is).every((name) => !this.drive(name) || this.#isInIdOrder(name));
    if (!byNumber) return rawQuery(compiler, sql`select count(*) as total, null as last from ${rows} as rows_left`);
    return rawQuery(compiler, sql`select count(*) as total, max(id) as last from ${rows.orderBy(id)} as rows_left`);
  }

  /** An upper bound of the rows that negated filters exclude, up to the last id considered. */
  excluded(compiler: Kysely<Tables>, plan: ListPlan, engine: Engine) {
    const ids = Object.keys(plan.sent.not).map((name) => this.ids(compiler, name, plan, 0, engine, 'not'));
    return countIds(compiler, ids, bounds.last);
  }
}
