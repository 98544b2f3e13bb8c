import { type Expression, type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Bound, BoundList } from './bound.ts';
import type { Engine, Reader } from './engine.ts';
import { contains } from './expressions.ts';
import { form } from './form.ts';
import type { Slice } from './paging.ts';
import { isMissing, registered } from './search-indexes.ts';
import type { SearchedTexts } from './search-schema.ts';
import { type ShapedList, shaped, written } from './shaped.ts';

/** An index of three characters in a row knows nothing of less. */
const shortest = 3;

/** Every row with a term has all its trigrams, so that these are enough to find few. */
const mostTrigrams = 32;

/** The terms that can be looked up; the others are compared only. */
function usable(terms: readonly (string | undefined)[]): string[] {
  return terms.filter((term) => term !== undefined && [...term].length >= shortest) as string[];
}

/** The query of SQLite's full-text search for rows that have every trigram of the terms. */
function matchOf(terms: readonly string[]): string {
  const trigrams = new Set<string>();
  for (const term of terms) {
    const characters = [...term];
    for (let at = 0; at + shortest <= characters.length && trigrams.size < mostTrigrams; at += 1) {
      trigrams.add(characters.slice(at, at + shortest).join(''));
    }
  }
  return [...trigrams].map((trigram) => `"${trigram.replaceAll('"', '""')}"`).join(' AND ');
}

/** Up to this many rows are looked up and sorted; one of more is met soon enough by whoever walks along an order. */
export const fewRows = 1000;

/** What a filter holds whose rows are searched for. `searchFor` gives it, and `SearchIndex.start` adds to it. */
export interface Searching {
  readonly terms?: readonly string[] | undefined;
  readonly match?: string | undefined;
  /** All rows that can hold the terms, where they are few. */
  readonly among?: readonly number[] | undefined;
  /** Read the rows that can hold the terms rather than all. */
  readonly driven?: boolean | undefined;
}

/** For the `values` and `lists` of a form. */
export const searchValues = ['terms', 'match'] as const satisfies readonly (keyof Searching)[];
export const searchLists = ['among'] as const satisfies readonly (keyof Searching)[];

interface Asked {
  readonly terms?: readonly Bound<string>[] | undefined;
  readonly match?: Bound<string> | undefined;
  readonly among?: BoundList | undefined;
  readonly driven?: boolean | undefined;
}

/** What to look up for texts that must all be contained; nothing where there is none that is long enough. */
export function searchFor(...texts: readonly (string | undefined)[]): Pick<Searching, 'terms' | 'match'> {
  const terms = usable(texts);
  return terms.length === 0 ? {} : { terms, match: matchOf(terms) };
}

interface Found {
  readonly id: number;
}

/**
 * A search index over texts of a table, which a migration has made by `searchSchema`. It narrows a search to the rows
 * that can hold the terms; whether they do is for the query to say, by `contains`.
 *
 * ```ts
 * const bookSearch = searchIndex({ table: 'books', columns: ['title'] });
 *
 * const books = shapedList(form<Wanted & Searching>()({ values: [...searchValues], lists: [...searchLists] }),
 *   (db, ask, engine) => bookSearch.narrow(booksLike(db, ask), 'books.id', ask, engine));
 *
 * bookSearch.page(books, db, { ...wanted, ...searchFor(text) }, slice);
 * ```
 */
export class SearchIndex {
  readonly #texts: SearchedTexts;
  readonly #found;

  constructor(texts: SearchedTexts) {
    this.#texts = texts;
    const filter = form<Searching>()({ values: searchValues, lists: searchLists });
    this.#found = shaped(filter, (db, ask, engine) =>
      written<Found>(db, sql`${this.candidates(ask, engine)} limit ${sql.lit(fewRows + 1)}`),
    );
  }

  /** A query of one column, `id`: the rows that can hold all terms. */
  candidates({ terms = [], match }: Asked, engine: Engine): RawBuilder<Found> {
    const { table, columns } = this.#texts;
    if (engine === 'sqlite') {
      const index = sql.table(`${table}_search`);
      return sql`select rowid as id from ${index} where ${index} match ${match}`;
    }
    const held = columns.map((column) => {
      const each = terms.map((term) => contains(sql.ref<string>(column), term));
      return sql`(${sql.join(each, sql` and `)})`;
    });
    return sql`select id from ${sql.table(table)} where (${sql.join(held, sql` or `)})`;
  }

  /** The numbers of the rows that can hold the terms; undefined where they are many, or cannot be looked up. */
  async find(db: Reader, { terms, match }: Searching): Promise<number[] | undefined> {
    if (terms === undefined || isMissing(db)) return undefined;
    const found = await this.#found.all(db, { terms, match });
    return found.length > fewRows ? undefined : found.map(({ id }) => id);
  }

  /** The filter, with all rows that can answer it, if they are few. */
  async start<Q extends Searching>(db: Reader, filter: Q): Promise<Q> {
    const among = await this.find(db, filter);
    return among ? { ...filter, among } : filter;
  }

  /** Narrows a query by what `page` has found out. */
  narrow<DB, T extends keyof DB, O>(
    query: SelectQueryBuilder<DB, T, O>,
    idColumn: string,
    ask: Asked,
    engine: Engine,
  ): SelectQueryBuilder<DB, T, O> {
    const id = sql.ref<number>(idColumn);
    if (ask.among) return query.where(sql<SqlBool>`${id} in ${ask.among}`);
    // PostgreSQL sees by itself when its index is worth reading.
    if (!ask.driven || engine === 'postgres') return query;
    const joined = query.innerJoin(sql<Found>`(${this.candidates(ask, engine)})`.as('found'), (join) =>
      join.on(sql<SqlBool>`found.id = ${id}` as Expression<SqlBool>),
    );
    return joined as unknown as SelectQueryBuilder<DB, T, O>;
  }

  /** A page of a list that `narrow` is part of: from the rows that can hold the terms, or along the list's order. */
  async page<Q extends Searching, R>(
    list: ShapedList<Q, R>,
    db: Reader,
    filter: Q,
    slice: Slice,
  ): Promise<{ rows: R[]; total: number }> {
    const started = await this.start(db, filter);
    if (started.among || filter.terms === undefined) return list.page(db, started, slice);
    // Along the order twenty are met soon; all of them are not.
    return list.page(db, filter, slice, { ...filter, driven: !isMissing(db) });
  }
}

/** The search index over these texts. Made at the top of a module; the start then looks after it. */
export function searchIndex(texts: SearchedTexts): SearchIndex {
  registered.add(texts);
  return new SearchIndex(texts);
}
