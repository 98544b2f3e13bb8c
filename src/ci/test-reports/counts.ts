import type { TestCase } from './junit.ts';

export interface Counts {
  readonly time: number;
  readonly count: number;
  readonly success: number;
  readonly failed: number;
  readonly skipped: number;
  readonly error: number;
}

type Status = TestCase['status'];

export const isFailure = (status: Status) => status === 'failed' || status === 'error';

const rounded = (seconds: number) => Math.round(seconds * 1e6) / 1e6;

export function countsOf(cases: readonly TestCase[]): Counts {
  const count = (status: Status) => cases.filter((one) => one.status === status).length;
  return {
    time: rounded(cases.reduce((sum, { execution_time }) => sum + execution_time, 0)),
    count: cases.length,
    success: count('success'),
    failed: count('failed'),
    skipped: count('skipped'),
    error: count('error'),
  };
}

/** The figures of several together. */
export function added(all: readonly Counts[]): Counts {
  const sum = (name: keyof Counts) => all.reduce((total, one) => total + one[name], 0);
  return {
    time: rounded(sum('time')),
    count: sum('count'),
    success: sum('success'),
    failed: sum('failed'),
    skipped: sum('skipped'),
    error: sum('error'),
  };
}

/** The same in the words of a report. */
export function totals({ time, count, success, failed, skipped, error }: Counts) {
  return {
    total_time: time,
    total_count: count,
    success_count: success,
    failed_count: failed,
    skipped_count: skipped,
    error_count: error,
  };
}

const ranks: Readonly<Record<Status, number>> = { failed: 0, error: 1, skipped: 2, success: 3 };

/** What somebody has to look at first; tests of one status stay in the order of the report. */
export function worstFirst<T extends { readonly status: Status }>(cases: readonly T[]): T[] {
  return [...cases].sort((a, b) => ranks[a.status] - ranks[b.status]);
}
