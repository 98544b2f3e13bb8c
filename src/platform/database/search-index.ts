import { type RawBuilder, sql } from 'kysely';
import type { Bound } from './bound.ts';
import { rareParts } from './common-words.ts';
import type { Engine, Reader } from './engine.ts';
import { contains } from './expressions.ts';
import { rarestTrigrams } from './rarest-trigrams.ts';
import { piecesOfARow } from './search-pieces-schema.ts';
import type { SearchedTexts } from './search-schema.ts';
import { sessionOf } from './session.ts';

/** An index of three characters in a row knows nothing of less. */
const shortest = 3;

/** Every row with a term has all its trigrams, so that the first ones are enough to find few. */
const mostTrigrams = 32;

/** So many characters of each piece of a long text are those of the next: one of the two has all that is looked up. */
export const sharedByPieces = mostTrigrams + shortest;

/** The terms that can be looked up; the others are compared only. */
function usable(terms: readonly (string | undefined)[]): string[] {
  return terms.filter((term) => term !== undefined && [...term].length >= shortest) as string[];
}

const and = ' AND ';

/** The trigrams at the beginning of a term, quoted as SQLite's full-text search takes them. */
function trigramsOf(term: string): string[] {
  const characters = [...term];
  const trigrams = Math.min(characters.length - shortest + 1, mostTrigrams);
  return Array.from({ length: trigrams }, (_, at) => {
    return `"${characters
      .slice(at, at + shortest)
      .join('')
      .replaceAll('"', '""')}"`;
  });
}

/** The query of SQLite's full-text search for rows that have every trigram of the terms, of each term as many as of another. */
function matchOf(terms: readonly string[]): string {
  const ofTerms = terms.map(trigramsOf);
  const longest = Math.max(...ofTerms.map(({ length }) => length));
  const inTurns = Array.from({ length: longest }, (_, at) => ofTerms.flatMap((trigrams) => trigrams[at] ?? []));
  return [...new Set(inTurns.flat())].slice(0, mostTrigrams).join(and);
}

/**
 * What of a match is of one of its terms, that of its first trigram: a long text is indexed in pieces, and another term may be
 * in another piece.
 */
export function ofOneTerm({ match, terms }: Looked): string {
  const trigrams = match.split(and);
  const ofTerms = terms.map(trigramsOf);
  const own = ofTerms.find((each) => each.includes(trigrams[0] ?? '')) ?? [];
  return trigrams.filter((trigram) => own.includes(trigram)).join(and);
}

/** Up to this many rows are looked up and sorted; one of more is met soon enough by whoever walks along an order. */
export const fewRows = 1000;

/** What is looked up: texts that must all be contained, and how SQLite's full-text search is asked for them. */
export interface Searching {
  readonly terms?: readonly string[] | undefined;
  readonly match?: string | undefined;
}

/** For the `values` of a form. */
export const searchValues = ['terms', 'match'] as const satisfies readonly (keyof Searching)[];

/** The same where something is. */
export type Looked = { readonly [K in keyof Searching]-?: NonNullable<Searching[K]> };

interface BoundTerms {
  readonly terms?: readonly Bound<string>[] | undefined;
  readonly match?: Bound<string> | undefined;
  /** How pieces of long texts are asked, where there are several terms: `ofOneTerm`. */
  readonly piece?: Bound<string> | undefined;
  /** Each term may be in another column. */
  readonly apart?: boolean;
}

/** What to look up for texts that must all be contained; nothing where there is none that is long enough. */
export function searchFor(...texts: readonly (string | undefined)[]): Searching {
  const terms = usable(texts);
  return terms.length === 0 ? {} : { terms, match: matchOf(terms) };
}

interface Found {
  readonly id: number;
}

interface Indexed extends SearchedTexts {
  /** A migration has made it take long texts in pieces, by `dialect.searchInPieces`. */
  readonly inPieces?: boolean;
}

/**
 * A search index over texts of a table, which a migration has made by `dialect.search`. It knows which rows can hold the
 * terms; whether they do is for the query to say, by `contains`. Lists search by `searching` of the list kit.
 */
export class SearchIndex {
  readonly #texts: Indexed;

  constructor(texts: Indexed) {
    this.#texts = texts;
  }

  /** How the index is asked for the same at least, and sooner answers: for what few rows have. */
  async narrowed(db: Reader, { terms, match }: Looked): Promise<Looked> {
    const { table } = this.#texts;
    if (sessionOf(db).engine === 'sqlite') return { terms, match: await rarestTrigrams(db, table, match) };
    return { terms: await rareParts(db, table, terms), match };
  }

  /** A query of one column, `id`: the rows that can hold all terms. */
  candidates({ terms = [], match, piece = match, apart }: BoundTerms, engine: Engine): RawBuilder<Found> {
    const { table, columns, inPieces } = this.#texts;
    if (engine === 'sqlite') {
      const index = sql.table(`${table}_search`);
      const whole = sql<Found>`select rowid as id from ${index} where ${index} match ${match}`;
      return inPieces ? sql`${whole} union all ${longTexts(table, piece)}` : whole;
    }
    const holds = (column: string, term: Bound<string>) => contains(sql.ref<string>(column), term);
    const held = apart
      ? joined(sql` and `, terms, (term) => joined(sql` or `, columns, (column) => holds(column, term)))
      : joined(sql` or `, columns, (column) => joined(sql` and `, terms, (term) => holds(column, term)));
    return sql`select id from ${sql.table(table)} where ${held}`;
  }
}

const joined = <T>(by: RawBuilder<unknown>, all: readonly T[], condition: (one: T) => RawBuilder<unknown>) =>
  sql`(${sql.join(all.map(condition), by)})`;

/** The rows with long texts that can hold a term: each once, and none that is in the index of short ones. */
function longTexts(table: string, match: Bound<string> | undefined): RawBuilder<Found> {
  const pieces = sql.table(`${table}_pieces`);
  const waiting = sql`select row_id from derived_search_waiting where searched = ${sql.lit(table)}`;
  const row = sql`rowid / ${sql.lit(piecesOfARow)}`;
  return sql`select row_id as id from derived_search_waiting where searched = ${sql.lit(table)} and held = 0
    union all select id from (
      select distinct ${row} as id from ${pieces} where ${pieces} match ${match} and ${row} not in (${waiting})) as pieces`;
}
