import { type Compilable, type Kysely, sql } from 'kysely';
import { maxCountedRows } from '../database/paging.ts';
import { rawQuery } from '../database/shaped.ts';
import type { Tables } from '../database/tables.ts';
import type { Column, Condition } from './filter.ts';

/** The first and the last id of a table, or of a part of it; null if it has no rows. */
export interface IdRange {
  readonly first: number | null;
  readonly last: number | null;
}

export function idRangeOf(db: Kysely<Tables>, id: Column, part: Condition = sql`1 = 1`): Compilable<IdRange> {
  const [table = ''] = id.split('.');
  const end = (which: 'min' | 'max') =>
    sql`(select ${sql.raw(which)}(${sql.ref(id)}) from ${sql.table(table)} where ${part})`;
  return rawQuery(db, sql<IdRange>`select ${end('min')} as first, ${end('max')} as last`);
}

/** Sample sizes. A word needs many text comparisons for each row, so a counted row sample can be smaller. */
export const sampleSizes = { words: 400, rows: 100 } as const;

/**
 * Draws random ids to sample the rows of a table; empty if the table cannot have more rows than the count limit.
 * Random, so that nobody can arrange which rows are sampled.
 */
export function randomIds(
  { first, last }: IdRange,
  sampleSize: number = sampleSizes.words,
  random: () => number = Math.random,
): number[] {
  const [low, high] = [Number(first ?? 0), Number(last ?? 0)];
  const range = high - low + 1;
  if (range <= maxCountedRows) return [];
  return [...new Set(Array.from({ length: sampleSize }, () => low + Math.floor(random() * range)))];
}

/**
 * Whether the number of hits in a sample proves that more rows match than the count limit. A list of exactly that many
 * rows would reach this number once in some millions of samples.
 */
export function surelyExceedsLimit(hits: number, sampled: number, { first, last }: IdRange): boolean {
  const range = Number(last ?? 0) - Number(first ?? 0) + 1;
  if (sampled === 0 || range <= maxCountedRows) return false;
  const share = maxCountedRows / range;
  const expected = sampled * share;
  // Small counts deviate from a normal distribution; the added 5 compensates.
  return hits > expected + 5 * Math.sqrt(expected * (1 - share)) + 5;
}
