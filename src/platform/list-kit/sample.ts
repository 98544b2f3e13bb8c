import { type Compilable, type Kysely, sql } from 'kysely';
import { countedRows } from '../database/paging.ts';
import { written } from '../database/shaped.ts';
import type { Tables } from '../database/tables.ts';
import type { Column, Condition } from './filter.ts';

/** The first and the last number of a table, or of a part of it; null where it has no rows. */
export interface Numbers {
  readonly first: number | null;
  readonly last: number | null;
}

export function numbersOf(db: Kysely<Tables>, id: Column, part: Condition = sql`1 = 1`): Compilable<Numbers> {
  const [table = ''] = id.split('.');
  const end = (which: 'min' | 'max') =>
    sql`(select ${sql.raw(which)}(${sql.ref(id)}) from ${sql.table(table)} where ${part})`;
  return written(db, sql<Numbers>`select ${end('min')} as first, ${end('max')} as last`);
}

/** How many numbers are drawn: for words each stands for many comparisons, for rows that are only counted for few. */
export const draws = { words: 400, rows: 100 } as const;

/**
 * Numbers drawn at random, by which some rows of a table are looked at. None where the table cannot have as many rows as
 * are counted. At random, so that nobody can arrange what is met.
 */
export function drawnNumbers(
  { first, last }: Numbers,
  drawn: number = draws.words,
  random: () => number = Math.random,
): number[] {
  const [low, high] = [Number(first ?? 0), Number(last ?? 0)];
  const range = high - low + 1;
  if (range <= countedRows) return [];
  return [...new Set(Array.from({ length: drawn }, () => low + Math.floor(random() * range)))];
}

/**
 * Whether so many rows met by numbers that were drawn mean that there are more than are counted. Of exactly as many as are
 * counted, so many would be met once in some millions of times.
 */
export function areSurelyMore(met: number, draws: number, { first, last }: Numbers): boolean {
  const range = Number(last ?? 0) - Number(first ?? 0) + 1;
  if (draws === 0 || range <= countedRows) return false;
  const share = countedRows / range;
  const expected = draws * share;
  // Few are met less evenly than by a bell curve: the added ones make up for that.
  return met > expected + 5 * Math.sqrt(expected * (1 - share)) + 5;
}
