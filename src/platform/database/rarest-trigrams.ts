import { type RawBuilder, sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { perServer } from '../per-server.ts';
import { Bound } from './bound.ts';
import { CompiledTexts } from './compiled-texts.ts';
import type { Reader } from './engine.ts';
import { written } from './shaped.ts';

/** So many rows with a trigram, the oldest and the newest, show how far apart such rows lie. */
const sampled = 200;

/** A trigram is left out where rows with the rarest one lie so many times as far apart. */
const farApart = 32;

/** A trigram that every other row has tells little even beside a single one, and all its rows would be read. */
const dense = 2 * sampled;

/** The span of what fewer rows have than are sampled. */
const rare = Number.MAX_VALUE;

interface Asked {
  readonly trigrams: readonly string[];
}

interface Span {
  /** Between the first and the last of the sample; null of a trigram that fewer rows have. */
  readonly oldest: number | null;
  readonly newest: number | null;
}

const texts = new CompiledTexts<Asked>();

/**
 * How far apart the rows of common trigrams lie. What has become wrong of it makes a search take longer and never find
 * anything else, and a word is seldom common one day and rare the next. Rare ones are not kept: they are found at once.
 */
const commonIn = perServer((_: Reader) => new LRUCache<string, number>({ max: 20_000, ttl: 10 * 60_000 }));

const and = ' AND ';

/**
 * What is asked of SQLite's full-text search, without the trigrams that most rows have: it reads the rows of each from
 * end to end, and those of the rare ones tell nearly as much. Both ends are looked at: what was said often of late alone
 * is not common.
 */
export async function rarestTrigrams(db: Reader, table: string, match: string): Promise<string> {
  const trigrams = match.split(and);
  if (trigrams.length < 3) return match;
  const spans = await spansOf(db, table, trigrams);
  const ranked = trigrams.map((trigram, at) => ({ trigram, span: spans[at] ?? 0 })).sort((a, b) => b.span - a.span);
  const widest = ranked[0]?.span ?? 0;
  return ranked
    .filter(({ span }, rank) => rank === 0 || span * farApart >= widest || (rank === 1 && span > dense))
    .map(({ trigram }) => trigram)
    .join(and);
}

/** How far apart the rows of each trigram lie. */
async function spansOf(db: Reader, table: string, trigrams: readonly string[]): Promise<number[]> {
  const common = commonIn(db);
  const key = (trigram: string) => `${table} ${trigram}`;
  const spans = new Map(trigrams.map((trigram) => [trigram, common.get(key(trigram))]));
  const unknown = trigrams.filter((trigram) => spans.get(trigram) === undefined);
  const found = unknown.length === 0 ? [] : await measuredSpans(db, table, unknown);
  for (const [at, { oldest, newest }] of found.entries()) {
    const trigram = unknown[at] ?? '';
    const span = Math.max(oldest ?? rare, newest ?? rare);
    spans.set(trigram, span);
    if (span !== rare) common.set(key(trigram), span);
  }
  return trigrams.map((trigram) => spans.get(trigram) ?? 0);
}

function measuredSpans(db: Reader, table: string, trigrams: readonly string[]): Promise<Span[]> {
  const index = sql.table(`${table}_search`);
  return texts.run(db, `${table} ${trigrams.length}`, { trigrams }, (compiler) =>
    written<Span>(
      compiler,
      sql.join(
        trigrams.map((_, at) => spanOf(index, at)),
        sql` union all `,
      ),
    ),
  );
}

function spanOf(index: RawBuilder<unknown>, at: number): RawBuilder<Span> {
  const trigram = new Bound(({ trigrams }: Asked) => trigrams[at]);
  const span = (
    order: RawBuilder<unknown>,
  ) => sql`(select case when count(*) = ${sql.lit(sampled)} then max(id) - min(id) end
    from (select rowid as id from ${index} where ${index} match ${trigram} order by rowid ${order} limit ${sql.lit(sampled)}))`;
  return sql`select ${span(sql`asc`)} as oldest, ${span(sql`desc`)} as newest`;
}
