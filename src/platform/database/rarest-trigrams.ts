import { type RawBuilder, sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { perServer } from '../per-server.ts';
import { Bound } from './bound.ts';
import type { Reader } from './engine.ts';
import { rawQuery } from './shaped.ts';
import { StatementCache } from './statement-cache.ts';

/** Number of oldest and newest rows of a trigram that are sampled to measure how far apart its rows are. */
const sampleSize = 200;

/** A trigram is dropped if its rows are this many times denser than those of the rarest one. */
const maxDensityRatio = 32;

/** Below this span about every other row has the trigram: it is not selective, and all its rows would be read. */
const denseSpan = 2 * sampleSize;

/** The span of a trigram with fewer rows than the sample size. */
const rareSpan = Number.MAX_VALUE;

interface Inputs {
  readonly trigrams: readonly string[];
}

interface Span {
  /** Distance between the first and the last sampled id; null for a trigram with fewer rows. */
  readonly oldest: number | null;
  readonly newest: number | null;
}

const statements = new StatementCache<Inputs>();

/**
 * Spans of common trigrams. Outdated entries make a search slower but do not change its results, and a trigram is
 * seldom common one day and rare the next. Rare trigrams are not cached: measuring them is quick.
 */
const commonIn = perServer((_: Reader) => new LRUCache<string, number>({ max: 20_000, ttl: 10 * 60_000 }));

const and = ' AND ';

/**
 * Reduces the match expression of SQLite's full-text search to the most selective trigrams. SQLite reads all rows of
 * each trigram, and the rare ones alone are nearly as selective. Both the oldest and the newest rows are sampled,
 * because a trigram that became frequent only recently is not common.
 */
export async function rarestTrigrams(db: Reader, table: string, match: string): Promise<string> {
  const trigrams = match.split(and);
  if (trigrams.length < 3) return match;
  const spans = await spansOf(db, table, trigrams);
  const ranked = trigrams.map((trigram, at) => ({ trigram, span: spans[at] ?? 0 })).sort((a, b) => b.span - a.span);
  const widest = ranked[0]?.span ?? 0;
  return ranked
    .filter(({ span }, rank) => rank === 0 || span * maxDensityRatio >= widest || (rank === 1 && span > denseSpan))
    .map(({ trigram }) => trigram)
    .join(and);
}

/** How far apart the rows of each trigram are. */
async function spansOf(db: Reader, table: string, trigrams: readonly string[]): Promise<number[]> {
  const common = commonIn(db);
  const key = (trigram: string) => `${table} ${trigram}`;
  const spans = new Map(trigrams.map((trigram) => [trigram, common.get(key(trigram))]));
  const unknown = trigrams.filter((trigram) => spans.get(trigram) === undefined);
  const found = unknown.length === 0 ? [] : await measuredSpans(db, table, unknown);
  for (const [at, { oldest, newest }] of found.entries()) {
    const trigram = unknown[at] ?? '';
    const span = Math.max(oldest ?? rareSpan, newest ?? rareSpan);
    spans.set(trigram, span);
    if (span !== rareSpan) common.set(key(trigram), span);
  }
  return trigrams.map((trigram) => spans.get(trigram) ?? 0);
}

function measuredSpans(db: Reader, table: string, trigrams: readonly string[]): Promise<Span[]> {
  const index = sql.table(`${table}_search`);
  return statements.run(db, `${table} ${trigrams.length}`, { trigrams }, (compiler) =>
    rawQuery<Span>(
      compiler,
      sql.join(
        trigrams.map((_, at) => spanOf(index, at)),
        sql` union all `,
      ),
    ),
  );
}

function spanOf(index: RawBuilder<unknown>, at: number): RawBuilder<Span> {
  const trigram = new Bound(({ trigrams }: Inputs) => trigrams[at]);
  const span = (
    order: RawBuilder<unknown>,
  ) => sql`(select case when count(*) = ${sql.lit(sampleSize)} then max(id) - min(id) end
    from (select rowid as id from ${index} where ${index} match ${trigram} order by rowid ${order} limit ${sql.lit(sampleSize)}))`;
  return sql`select ${span(sql`asc`)} as oldest, ${span(sql`desc`)} as newest`;
}
