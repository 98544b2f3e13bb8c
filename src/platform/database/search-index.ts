import { type RawBuilder, sql } from 'kysely';
import type { Bound } from './bound.ts';
import { selectiveTerms } from './common-words.ts';
import type { Engine, Reader } from './engine.ts';
import { contains } from './expressions.ts';
import { rarestTrigrams } from './rarest-trigrams.ts';
import { piecesPerRow } from './search-pieces-schema.ts';
import type { SearchedTexts } from './search-schema.ts';
import { sessionOf } from './session.ts';

/** A trigram index cannot find shorter terms. */
const minTermLength = 3;

/** Every row with a term has all its trigrams, so the first ones are selective enough. */
const maxTrigrams = 32;

/**
 * Number of characters by which the pieces of a long text overlap, so that one piece contains all trigrams that are
 * looked up.
 */
export const pieceOverlap = maxTrigrams + minTermLength;

/** The terms long enough for the index; the others are only compared. */
function usable(terms: readonly (string | undefined)[]): string[] {
  return terms.filter((term) => term !== undefined && [...term].length >= minTermLength) as string[];
}

const and = ' AND ';

/** The first trigrams of a term, quoted for SQLite's full-text search. */
function trigramsOf(term: string): string[] {
  const characters = [...term];
  const trigrams = Math.min(characters.length - minTermLength + 1, maxTrigrams);
  return Array.from({ length: trigrams }, (_, at) => {
    return `"${characters
      .slice(at, at + minTermLength)
      .join('')
      .replaceAll('"', '""')}"`;
  });
}

/**
 * The match expression of SQLite's full-text search for all trigrams of the terms, taking as many of each term as of
 * the others.
 */
function matchOf(terms: readonly string[]): string {
  const ofTerms = terms.map(trigramsOf);
  const longest = Math.max(...ofTerms.map(({ length }) => length));
  const interleaved = Array.from({ length: longest }, (_, at) => ofTerms.flatMap((trigrams) => trigrams[at] ?? []));
  return [...new Set(interleaved.flat())].slice(0, maxTrigrams).join(and);
}

/**
 * The part of a match expression that belongs to one term, the one with its first trigram. Long texts are indexed in
 * pieces, and another term may be in another piece.
 */
export function matchOfOneTerm({ match, terms }: SearchTerms): string {
  const trigrams = match.split(and);
  const ofTerms = terms.map(trigramsOf);
  const own = ofTerms.find((each) => each.includes(trigrams[0] ?? '')) ?? [];
  return trigrams.filter((trigram) => own.includes(trigram)).join(and);
}

/** Up to this many rows are looked up and sorted; with more, walking the order finds a page soon enough. */
export const maxLookedUpRows = 1000;

/** A search: texts that must all be contained, and the match expression for SQLite's full-text search. */
export interface SearchCriteria {
  readonly terms?: readonly string[] | undefined;
  readonly match?: string | undefined;
}

/** The properties of a search, for the `values` of a form. */
export const searchValues = ['terms', 'match'] as const satisfies readonly (keyof SearchCriteria)[];

/** A search that has terms. */
export type SearchTerms = { readonly [K in keyof SearchCriteria]-?: NonNullable<SearchCriteria[K]> };

interface BoundTerms {
  readonly terms?: readonly Bound<string>[] | undefined;
  readonly match?: Bound<string> | undefined;
  /** The match expression for pieces of long texts if there are several terms: `matchOfOneTerm`. */
  readonly piece?: Bound<string> | undefined;
  /** Each term may be in a different column. */
  readonly anyColumn?: boolean;
}

/** The search for rows that contain all texts; empty if none is long enough for the index. */
export function searchFor(...texts: readonly (string | undefined)[]): SearchCriteria {
  const terms = usable(texts);
  return terms.length === 0 ? {} : { terms, match: matchOf(terms) };
}

interface Found {
  readonly id: number;
}

interface Indexed extends SearchedTexts {
  /** A migration made it index long texts in pieces, with `dialect.searchInPieces`. */
  readonly inPieces?: boolean;
}

/**
 * A search index over texts of a table, created by a migration with `dialect.search`. It returns rows that may contain
 * the terms; the query must verify this with `contains`. Lists use it through `searchFilters` of the list kit.
 */
export class SearchIndex {
  readonly #texts: Indexed;

  constructor(texts: Indexed) {
    this.#texts = texts;
  }

  /** The search reduced to its most selective terms: it returns at least the same rows, and sooner. */
  async narrowed(db: Reader, { terms, match }: SearchTerms): Promise<SearchTerms> {
    const { table } = this.#texts;
    if (sessionOf(db).engine === 'sqlite') return { terms, match: await rarestTrigrams(db, table, match) };
    return { terms: await selectiveTerms(db, table, terms), match };
  }

  /** A query with one column, `id`: the rows that may contain all terms. */
  candidates({ terms = [], match, piece = match, anyColumn }: BoundTerms, engine: Engine): RawBuilder<Found> {
    const { table, columns, inPieces } = this.#texts;
    if (engine === 'sqlite') {
      const index = sql.table(`${table}_search`);
      const whole = sql<Found>`select rowid as id from ${index} where ${index} match ${match}`;
      return inPieces ? sql`${whole} union all ${longTexts(table, piece)}` : whole;
    }
    const holds = (column: string, term: Bound<string>) => contains(sql.ref<string>(column), term);
    const held = anyColumn
      ? joined(sql` and `, terms, (term) => joined(sql` or `, columns, (column) => holds(column, term)))
      : joined(sql` or `, columns, (column) => joined(sql` and `, terms, (term) => holds(column, term)));
    return sql`select id from ${sql.table(table)} where ${held}`;
  }
}

const joined = <T>(by: RawBuilder<unknown>, all: readonly T[], condition: (one: T) => RawBuilder<unknown>) =>
  sql`(${sql.join(all.map(condition), by)})`;

/**
 * The rows with long texts that may contain a term, without duplicates and without rows of the index of short texts.
 */
function longTexts(table: string, match: Bound<string> | undefined): RawBuilder<Found> {
  const pieces = sql.table(`${table}_pieces`);
  const waiting = sql`select row_id from derived_search_waiting where searched = ${sql.lit(table)}`;
  const row = sql`rowid / ${sql.lit(piecesPerRow)}`;
  return sql`select row_id as id from derived_search_waiting where searched = ${sql.lit(table)} and held = 0
    union all select id from (
      select distinct ${row} as id from ${pieces} where ${pieces} match ${match} and ${row} not in (${waiting})) as pieces`;
}
