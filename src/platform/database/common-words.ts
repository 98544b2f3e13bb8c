import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { perServer } from '../per-server.ts';
import { Bound } from './bound.ts';
import type { Reader } from './engine.ts';
import { rawQuery } from './shaped.ts';
import { StatementCache } from './statement-cache.ts';

/** A word is common if at least one in this many sampled texts has it. */
const share = 10;

/** With fewer texts no word is considered common. */
const minTexts = 20;

/** A trigram index cannot find shorter terms. */
const minTermLength = 3;

const wordPattern = /[\p{L}\p{N}]+/gu;

interface Words {
  has(part: string): boolean;
}

/** The words that many of the texts have. A part of a common word is common too. */
export function commonWords(texts: readonly string[]): Words {
  const holding = new Map<string, number>();
  for (const text of texts) {
    for (const word of new Set(text.match(wordPattern))) holding.set(word, (holding.get(word) ?? 0) + 1);
  }
  const few = texts.length < minTexts;
  const common = few ? [] : [...holding].flatMap(([word, count]) => (count * share >= texts.length ? [word] : []));
  return { has: (part) => common.some((word) => word.includes(part)) };
}

/**
 * Shortens a term to the span from its first to its last uncommon word, with one adjacent character on each side so
 * that the index knows the word boundaries. Every text with the term has this part. Returns the term itself if the part
 * is too short for the index.
 */
export function withoutCommonEnds(term: string, common: Words): string {
  const words = [...term.matchAll(wordPattern)].map(([word], at, all) => ({ word, from: all[at]?.index ?? 0 }));
  const rare = words.filter(({ word }) => !common.has(word.toLowerCase()));
  const [first, last] = [rare[0], rare.at(-1)];
  if (!first || !last) return term;
  const part = term.slice(Math.max(first.from - 1, 0), last.from + last.word.length + 1);
  return part.isWellFormed() && [...part].length >= minTermLength ? part : term;
}

interface Inputs {
  readonly index: string;
}

const statements = new StatementCache<Inputs>();

/** The common words of each table. Outdated entries make a search slower but do not change its results. */
const commonIn = perServer((_: Reader) => new LRUCache<string, Words>({ max: 100, ttl: 10 * 60_000 }));

/** The terms with at least one uncommon word; all terms if there are none. */
export function withoutCommonTerms(terms: readonly string[], common: Words): readonly string[] {
  const rare = terms.filter(
    (term) => !(term.match(wordPattern) ?? [term]).every((word) => common.has(word.toLowerCase())),
  );
  return rare.length === 0 ? terms : rare;
}

/**
 * The terms to look up in PostgreSQL's index of a table: without common terms, and without common words at both ends,
 * because the index reads the rows of each of their trigrams. Common words come from the column statistics of the last
 * ANALYZE.
 */
export async function selectiveTerms(db: Reader, table: string, terms: readonly string[]): Promise<string[]> {
  if (terms.length === 1 && (terms[0]?.match(wordPattern)?.length ?? 0) <= 1) return [...terms];
  const known = commonIn(db).get(table);
  const common = known ?? (await commonInTable(db, table));
  if (!known) commonIn(db).set(table, common);
  return withoutCommonTerms(terms, common).map((term) => withoutCommonEnds(term, common));
}

async function commonInTable(db: Reader, table: string): Promise<Words> {
  const index = new Bound(({ index }: Inputs) => index);
  const columns = await statements.run(db, 'known texts', { index: `${table}_search` }, (compiler) =>
    rawQuery<{ known: string[] }>(
      compiler,
      sql`select coalesce(most_common_vals::text::text[], '{}') || coalesce(histogram_bounds::text::text[], '{}') as known
        from pg_stats where schemaname = any(current_schemas(false)) and tablename = ${index}`,
    ),
  );
  const ofColumns = columns.map(({ known }) => commonWords(known));
  return { has: (part) => ofColumns.some((words) => words.has(part)) };
}
