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

/** The query of SQLite's full-text search for rows that have every trigram of the terms. */
function matchOf(terms: readonly string[]): string {
  const trigrams = new Set<string>();
  for (const term of terms) {
    const characters = [...term];
    const last = Math.min(characters.length - shortest, mostTrigrams - 1);
    for (let at = 0; at <= last && trigrams.size < mostTrigrams; at += 1) {
      trigrams.add(characters.slice(at, at + shortest).join(''));
    }
  }
  return [...trigrams].map((trigram) => `"${trigram.replaceAll('"', '""')}"`).join(' AND ');
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
  candidates({ terms = [], match }: BoundTerms, engine: Engine): RawBuilder<Found> {
    const { table, columns, inPieces } = this.#texts;
    if (engine === 'sqlite') {
      const index = sql.table(`${table}_search`);
      const whole = sql<Found>`select rowid as id from ${index} where ${index} match ${match}`;
      return inPieces ? sql`${whole} union all ${longTexts(table, terms, match)}` : whole;
    }
    const held = columns.map((column) => {
      const each = terms.map((term) => contains(sql.ref<string>(column), term));
      return sql`(${sql.join(each, sql` and `)})`;
    });
    return sql`select id from ${sql.table(table)} where (${sql.join(held, sql` or `)})`;
  }
}

/** The rows with long texts that can hold a term: each once, and none that is in the index of short ones. */
function longTexts(table: string, terms: readonly unknown[], match: Bound<string> | undefined): RawBuilder<Found> {
  if (terms.length > 1) throw new Error('two terms may be in different pieces of a text');
  const pieces = sql.table(`${table}_pieces`);
  const waiting = sql`select row_id from derived_search_waiting where searched = ${sql.lit(table)}`;
  const row = sql`rowid / ${sql.lit(piecesOfARow)}`;
  return sql`select row_id as id from derived_search_waiting where searched = ${sql.lit(table)} and held = 0
    union all select id from (
      select distinct ${row} as id from ${pieces} where ${pieces} match ${match} and ${row} not in (${waiting})) as pieces`;
}
