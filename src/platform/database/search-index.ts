import { type RawBuilder, sql } from 'kysely';
import type { Bound } from './bound.ts';
import type { Engine, Reader } from './engine.ts';
import { contains } from './expressions.ts';
import { rarestTrigrams } from './rarest-trigrams.ts';
import type { SearchedTexts } from './search-schema.ts';
import { sessionOf } from './session.ts';

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

/** What is looked up: texts that must all be contained, and how SQLite's full-text search is asked for them. */
export interface Searching {
  readonly terms?: readonly string[] | undefined;
  readonly match?: string | undefined;
}

/** For the `values` of a form. */
export const searchValues = ['terms', 'match'] as const satisfies readonly (keyof Searching)[];

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

/**
 * A search index over texts of a table, which a migration has made by `dialect.search`. It knows which rows can hold the
 * terms; whether they do is for the query to say, by `contains`. Lists search by `searching` of the list kit.
 */
export class SearchIndex {
  readonly #texts: SearchedTexts;

  constructor(texts: SearchedTexts) {
    this.#texts = texts;
  }

  /** How SQLite's full-text search is asked for the same at least, and sooner answers. */
  async narrowed(db: Reader, match: string): Promise<string> {
    return sessionOf(db).engine === 'sqlite' ? rarestTrigrams(db, this.#texts.table, match) : match;
  }

  /** A query of one column, `id`: the rows that can hold all terms. */
  candidates({ terms = [], match }: BoundTerms, engine: Engine): RawBuilder<Found> {
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
}
