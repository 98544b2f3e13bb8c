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

/** Sums several counts. */
export function sumCounts(all: readonly Counts[]): Counts {
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

/** The counts with the field names used in reports. */
export function presentCounts({ time, count, success, failed, skipped, error }: Counts) {
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

/** Sorts by severity, keeping the report order within one status. */
export function worstFirst<T extends { readonly status: Status }>(cases: readonly T[]): T[] {
  return [...cases].sort((a, b) => ranks[a.status] - ranks[b.status]);
}
