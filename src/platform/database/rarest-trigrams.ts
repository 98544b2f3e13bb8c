import { type RawBuilder, sql } from 'kysely';
import { Bound } from './bound.ts';
import { CompiledTexts } from './compiled-texts.ts';
import type { Reader } from './engine.ts';
import { written } from './shaped.ts';

/** So many rows with a trigram, the oldest and the newest, show how far apart such rows lie. */
const sampled = 200;

/** A trigram is left out where rows with the rarest one lie so many times as far apart. */
const farApart = 32;

interface Asked {
  readonly trigrams: readonly string[];
}

interface Span {
  /** Between the first and the last of the sample; null of a trigram that fewer rows have. */
  readonly oldest: number | null;
  readonly newest: number | null;
}

const texts = new CompiledTexts<Asked>();

const and = ' AND ';

/**
 * What is asked of SQLite's full-text search, without the trigrams that most rows have: it reads the rows of each from
 * end to end, and those of the rare ones tell nearly as much. Both ends are looked at: what was said often of late alone
 * is not common.
 */
export async function rarestTrigrams(db: Reader, table: string, match: string): Promise<string> {
  const trigrams = match.split(and);
  if (trigrams.length < 3) return match;
  const index = sql.table(`${table}_search`);
  const shape = `${table} ${trigrams.length}`;
  const found = await texts.run(db, shape, { trigrams }, (compiler) =>
    written<Span>(
      compiler,
      sql.join(
        trigrams.map((_, at) => spanOf(index, at)),
        sql` union all `,
      ),
    ),
  );
  const spans = found.map(({ oldest, newest }) => Math.max(oldest ?? Number.MAX_VALUE, newest ?? Number.MAX_VALUE));
  const ranked = trigrams.map((trigram, at) => ({ trigram, span: spans[at] ?? 0 })).sort((a, b) => b.span - a.span);
  const widest = ranked[0]?.span ?? 0;
  return ranked
    .filter(({ span }, rank) => rank < 2 || span * farApart >= widest)
    .map(({ trigram }) => trigram)
    .join(and);
}

function spanOf(index: RawBuilder<unknown>, at: number): RawBuilder<Span> {
  const trigram = new Bound(({ trigrams }: Asked) => trigrams[at]);
  const span = (
    order: RawBuilder<unknown>,
  ) => sql`(select case when count(*) = ${sql.lit(sampled)} then max(id) - min(id) end
    from (select rowid as id from ${index} where ${index} match ${trigram} order by rowid ${order} limit ${sql.lit(sampled)}))`;
  return sql`select ${span(sql`asc`)} as oldest, ${span(sql`desc`)} as newest`;
}
