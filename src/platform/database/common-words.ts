import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { perServer } from '../per-server.ts';
import { Bound } from './bound.ts';
import { CompiledTexts } from './compiled-texts.ts';
import type { Reader } from './engine.ts';
import { written } from './shaped.ts';

/** A word is common where one in so many of the texts that were looked at has it. */
const share = 10;

/** Of fewer texts nothing is told. */
const leastTexts = 20;

/** An index of three characters in a row knows nothing of less. */
const shortest = 3;

const wordPattern = /[\p{L}\p{N}]+/gu;

interface Words {
  has(part: string): boolean;
}

/** The words that many of some texts have; what is a part of one of them is common too. */
export function commonWords(texts: readonly string[]): Words {
  const holding = new Map<string, number>();
  for (const text of texts) {
    for (const word of new Set(text.match(wordPattern))) holding.set(word, (holding.get(word) ?? 0) + 1);
  }
  const few = texts.length < leastTexts;
  const common = few ? [] : [...holding].flatMap(([word, count]) => (count * share >= texts.length ? [word] : []));
  return { has: (part) => common.some((word) => word.includes(part)) };
}

/**
 * A term from the first to the last of its words that are not common, with the characters beside them, by which an index
 * knows where they begin and end. Whatever holds the term holds that; the term itself, where it would be too little.
 */
export function withoutCommonEnds(term: string, common: Words): string {
  const words = [...term.matchAll(wordPattern)].map(([word], at, all) => ({ word, from: all[at]?.index ?? 0 }));
  const rare = words.filter(({ word }) => !common.has(word.toLowerCase()));
  const [first, last] = [rare[0], rare.at(-1)];
  if (!first || !last) return term;
  const part = term.slice(Math.max(first.from - 1, 0), last.from + last.word.length + 1);
  return part.isWellFormed() && [...part].length >= shortest ? part : term;
}

interface Asked {
  readonly index: string;
}

const texts = new CompiledTexts<Asked>();

/**
 * What is common in each table. What has become wrong of it makes a search take longer and never find anything else.
 */
const commonIn = perServer((_: Reader) => new LRUCache<string, Words>({ max: 100, ttl: 10 * 60_000 }));

/** The terms of which many rows do not have every word; all, where many have all. */
export function withoutCommonTerms(terms: readonly string[], common: Words): readonly string[] {
  const rare = terms.filter(
    (term) => !(term.match(wordPattern) ?? [term]).every((word) => common.has(word.toLowerCase())),
  );
  return rare.length === 0 ? terms : rare;
}

/**
 * What PostgreSQL's index of a table is asked for instead of terms, without the words that many rows have, as terms and at both
 * ends of others: it goes through the rows of each three characters of them. It knows some texts of each column from when it
 * last looked.
 */
export async function rareParts(db: Reader, table: string, terms: readonly string[]): Promise<string[]> {
  if (terms.length === 1 && (terms[0]?.match(wordPattern)?.length ?? 0) <= 1) return [...terms];
  const known = commonIn(db).get(table);
  const common = known ?? (await commonInTable(db, table));
  if (!known) commonIn(db).set(table, common);
  return withoutCommonTerms(terms, common).map((term) => withoutCommonEnds(term, common));
}

async function commonInTable(db: Reader, table: string): Promise<Words> {
  const index = new Bound(({ index }: Asked) => index);
  const columns = await texts.run(db, 'known texts', { index: `${table}_search` }, (compiler) =>
    written<{ known: string[] }>(
      compiler,
      sql`select coalesce(most_common_vals::text::text[], '{}') || coalesce(histogram_bounds::text::text[], '{}') as known
        from pg_stats where schemaname = any(current_schemas(false)) and tablename = ${index}`,
    ),
  );
  const ofColumns = columns.map(({ known }) => commonWords(known));
  return { has: (part) => ofColumns.some((words) => words.has(part)) };
}
