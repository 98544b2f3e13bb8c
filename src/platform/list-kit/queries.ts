import { type Compilable, type Kysely, type SqlBool, sql } from 'kysely';
import { BoundList } from '../database/bound.ts';
import type { Engine, Reader } from '../database/engine.ts';
import { foundBy } from '../database/expressions.ts';
import { type BoundFilter, bindFilter, shapeOf } from '../database/form.ts';
import type { Slice } from '../database/paging.ts';
import { isMissing } from '../database/search-indexes.ts';
import { sessionOf } from '../database/session.ts';
import { written } from '../database/shaped.ts';
import type { Tables } from '../database/tables.ts';
import type { AnyDeclaration } from './declaration.ts';
import { askedAsMet, type Condition, type Filter, negationOf, takesAllIn } from './filter.ts';
import { boundFilters, type SentFilters, shapeOfFilters } from './filter-set.ts';
import type { Kept } from './kept.ts';
import {
  type AnyQuery,
  amongIds,
  countedIds,
  firstRows,
  likely,
  maxCounted,
  merged,
  mergedLate,
  unindexed,
  withoutIndexes,
} from './merge.ts';
import type { Direction, Order, OrderKey } from './order.ts';
import { bounds, canBeSorted, type Given, type Read, type Wanted } from './wanted.ts';

/** Whether the index that serves a filter returns its rows in the order of a column. */
function isAlong({ ranges, drive }: Filter, column: string | undefined, id: string): boolean {
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
  alongColumn(by: string): string | undefined {
    const { keyset } = this.order(by);
    return keyset && (keyset.column ?? this.#list.id);
  }

  /** Whether the list can be counted from the ids of a filter. */
  counts(db: Reader, name: string): boolean {
    const drive = this.drive(name);
    return drive?.counts === true || (drive?.index !== undefined && !isMissing(db));
  }

  /** Whether the ids of a filter need no further conditions. */
  isComplete(wanted: Wanted, name: string, index: number, engine: Engine): boolean {
    const { is, not } = wanted.sent;
    if (!takesAllIn(this.drive(name), name, is) || Object.keys(not).length > 0) return false;
    return this.drive(name)?.complete?.(this.scope(wanted, index, engine)) === true;
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
  isPatient(db: Reader, { patient, sent, total }: Wanted, column: string | undefined, slice: Slice): boolean {
    if (!patient || !this.#list.lateRows) return false;
    if (canBeSorted(total) && 4 * (slice.offset + slice.perPage) > total) return false;
    const atOnce = (name: string) => {
      if (this.#list.filters[name]?.ranges !== undefined) return true;
      return this.#isNumbered(name) && column === this.#list.id;
    };
    if (Object.keys(sent.is).some(atOnce)) return false;
    return column !== undefined || sessionOf(db).engine === 'sqlite';
  }

  /** Whether the list's own index returns the rows of each value in id order. */
  #isNumbered(name: string): boolean {
    const drive = this.drive(name);
    return drive?.scoped === true && drive.ordered === true && !drive.ids;
  }

  /** The same plan, but the matches are found by the filters and then sorted. */
  sorted(wanted: Wanted): Wanted {
    return { ...wanted, scopes: wanted.joined?.scopes ?? wanted.scopes, passing: true };
  }

  drive(name: string) {
    return this.#list.filters[name]?.drive;
  }

  ids(db: Kysely<Tables>, name: string, wanted: Wanted, index: number, engine: Engine, as: 'is' | 'not' = 'is') {
    const filter = this.#list.filters[name] as Filter;
    const scope = this.scope(wanted, index, engine);
    const sent = boundFilters<Given>(wanted.sent, engine, (known) => known.sent);
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

  scope({ scopes }: Wanted, index: number, engine: Engine) {
    const find = (known: Given) => known.scopes[index] as object;
    return bindFilter(this.#list.scope, scopes[index] as object, engine, find) as AnyBoundFilter;
  }

  /** The stored row count of each scope. */
  kept(wanted: Wanted, engine: Engine): (Kept | undefined)[] {
    const { is, not } = boundFilters<Given>(wanted.sent, engine, ({ sent }) => sent);
    if (Object.keys(not).length > 0) return [];
    return wanted.scopes.map((_, index) => {
      const scope = this.scope(wanted, index, engine);
      return Object.keys(is).length === 0 ? this.#list.kept?.(scope) : this.#list.keptFiltered?.(scope, is, engine);
    });
  }

  /** The approximate number of rows in all scopes before filtering; undefined if no scope has one. */
  about(wanted: Wanted, engine: Engine): Kept | undefined {
    const parts = wanted.scopes.flatMap((_, index) => {
      const scope = this.scope(wanted, index, engine);
      return this.#list.about?.(scope) ?? this.#list.kept?.(scope) ?? [];
    });
    return parts.length === 0 ? undefined : sql`${sql.join(parts, sql` + `)}`;
  }

  shape({ scopes, sent, drivenBy, passing, joined }: Wanted): string {
    const within = scopes.map((scope) => shapeOf(this.#list.scope, scope)).join('&');
    return `${scopes.length}:${within}|${shapeOfFilters(sent)}|${drivenBy ?? ''}|${passing ? (joined?.filter ?? '*') : ''}`;
  }

  /** The rows of one scope that match the filters. */
  filtered(db: Kysely<Tables>, wanted: Wanted, index: number, engine: Engine, read: Read): AnyQuery {
    const { filters, id } = this.#list;
    const scope = this.scope(wanted, index, engine);
    const bound = boundFilters<Given>(wanted.sent, engine, ({ sent }) => sent);
    let query = this.#list.select(db, scope, engine);
    for (const [name, meaning] of Object.entries(bound.is)) {
      const { implies } = filters[name] as Filter;
      if (!implies || implies.column !== read.along?.column) continue;
      query = query.where(implies.condition(meaning, scope, engine));
    }
    if (read.firstBy) {
      query = firstRows(db, read.beyond ? query.where(read.beyond) : query, read.among, bounds.walked, id);
    }
    if (wanted.among) {
      const among = new BoundList(engine, ({ among: few }: Given) => few ?? []);
      query = (engine === 'sqlite' ? withoutIndexes(query) : query).where(among.has(sql.ref(id)));
    }
    const conditions: Condition[] = [];
    // For known ids PostgreSQL would query a search index a second time.
    const asMet = ({ drive }: Filter) => (wanted.among ? drive?.index !== undefined : read.firstBy && drive?.asMet);
    for (const [name, meaning] of Object.entries(bound.is)) {
      const filter = filters[name] as Filter;
      // The driving filter is already satisfied, unless its index only returns candidates.
      if ((name === wanted.drivenBy || name === read.from) && !filter.drive?.index) continue;
      const condition = filter.condition(meaning, scope, engine);
      const many = read.along && filter.drive && !isAlong(filter, read.along.column, id);
      if (engine === 'sqlite' && wanted.among) conditions.push(unindexed(condition));
      else if (engine === 'sqlite') conditions.push(many ? likely(condition) : condition);
      else conditions.push(asMet(filter) ? askedAsMet(condition) : condition);
    }
    for (const [name, meaning] of Object.entries(bound.not)) {
      conditions.push(negationOf(filters[name] as Filter, meaning, scope, engine));
    }
    return conditions.reduce((narrowed, condition) => narrowed.where(condition), query);
  }

  /** The rows of one scope that match the filters, to be sorted. */
  read(db: Kysely<Tables>, wanted: Wanted, index: number, engine: Engine, read: Read): AnyQuery {
    return wanted.passing ? this.#found(db, wanted, index, engine) : this.filtered(db, wanted, index, engine, read);
  }

  /** Like `read`, but the matches are found by the filters before they are sorted. */
  #found(db: Kysely<Tables>, wanted: Wanted, index: number, engine: Engine): AnyQuery {
    const from = this.#source(wanted, index, engine);
    if (from) {
      const query = this.filtered(db, wanted, index, engine, { from });
      const found = foundBy(sql.ref<number>(this.#list.id), this.ids(db, from, wanted, index, engine), engine);
      return (engine === 'sqlite' ? withoutIndexes(query) : query).where(found);
    }
    const { query, id } = this.matching(db, wanted, index, engine);
    const ids = query.clearSelect().select(sql.ref<number>(id).as('id'));
    const rows = this.#list.select(db, this.scope(wanted, index, engine), engine);
    const own = sql.ref(this.#list.id);
    if (engine === 'sqlite') return withoutIndexes(rows).where(sql<SqlBool>`${own} in ${ids}`);
    return rows.where(sql<SqlBool>`${own} = any(array(${ids}))`);
  }

  /** Whether the index of a filter returns all matches together with their sort key. */
  areFoundWithKeys(wanted: Wanted, index: number, by: string, engine: Engine): boolean {
    const { joined, passing } = wanted;
    const orders = joined && this.drive(joined.filter)?.orders;
    if (!passing || orders === undefined || orders !== this.alongColumn(by)) return false;
    return this.isComplete(wanted, joined?.filter ?? '', index, engine);
  }

  merged(compiler: Kysely<Tables>, parts: Parameters<typeof merged>[1], size: number | undefined) {
    const { lateRows, id } = this.#list;
    const rows = size === undefined ? bounds : { limit: sql.lit(size), offset: sql.lit(0), end: sql.lit(size) };
    return lateRows ? mergedLate(compiler, parts, rows, id) : merged(compiler, parts, rows);
  }

  keys(wanted: Wanted, index: number, by: string, direction: Direction, engine: Engine): OrderKey[] {
    const order = this.order(by);
    const scope = this.scope(wanted, index, engine);
    const filters = boundFilters<Given>(wanted.sent, engine, ({ sent }) => sent).is;
    return [...order.by({ direction, scope, filters }), [sql.ref(this.#list.id), order.ties ?? direction]];
  }

  /** The matching rows of one scope without an order, and the name of their id column. */
  matching(compiler: Kysely<Tables>, wanted: Wanted, index: number, engine: Engine): { query: AnyQuery; id: string } {
    const { joined } = wanted;
    if (joined && this.isComplete(wanted, joined.filter, index, engine)) {
      const ids = sql<{ id: number }>`(${this.ids(compiler, joined.filter, wanted, index, engine)})`;
      return { query: compiler.selectFrom(ids.as('found')) as AnyQuery, id: 'found.id' };
    }
    const from = this.#source(wanted, index, engine);
    const query = this.filtered(compiler, wanted, index, engine, from ? { from } : {});
    // Walking the order finds one page quickly, but not all matches.
    if (!from) return { query, id: this.#list.id };
    const ids = this.ids(compiler, from, wanted, index, engine);
    if (engine === 'sqlite') return { query: amongIds(compiler, query, ids, this.#list.id), id: 'found.id' };
    return { query: query.where(foundBy(sql.ref(this.#list.id), ids, engine)), id: this.#list.id };
  }

  /**
   * The filter whose ids are read to find the matches. PostgreSQL decides for itself when that pays, unless the filter
   * is `owned`.
   */
  #source(wanted: Wanted, index: number, engine: Engine): string | undefined {
    const { joined } = wanted;
    if (!joined || this.isComplete(wanted, joined.filter, index, engine)) return undefined;
    const drive = this.drive(joined.filter);
    return drive?.ids && (engine === 'sqlite' || drive.owned) ? joined.filter : undefined;
  }

  /**
   * Counts the rows before negated filters are applied and, if they are read in id order, returns the last id: a label
   * on half of all rows excludes as many of the first rows as of any others.
   */
  unnegated(
    compiler: Kysely<Tables>,
    wanted: Wanted,
    engine: Engine,
  ): Compilable<{ total: number; last: number | null }> {
    const { is } = wanted.sent;
    const id = sql.ref<number>(this.#list.id);
    const rows = this.filtered(compiler, { ...wanted, sent: { is, not: {} } }, 0, engine, {})
      .clearSelect()
      .select(id.as('id'))
      .limit(sql.lit(maxCounted('twice')));
    const byNumber = Object.keys(is).every((name) => !this.drive(name) || this.#isNumbered(name));
    if (!byNumber) return written(compiler, sql`select count(*) as total, null as last from ${rows} as rows_left`);
    return written(compiler, sql`select count(*) as total, max(id) as last from ${rows.orderBy(id)} as rows_left`);
  }

  /** An upper bound of the rows that negated filters exclude, up to the last id considered. */
  leftOut(compiler: Kysely<Tables>, wanted: Wanted, engine: Engine) {
    const ids = Object.keys(wanted.sent.not).map((name) => this.ids(compiler, name, wanted, 0, engine, 'not'));
    return countedIds(compiler, ids, bounds.last);
  }
}
