import type { Writer } from '../../platform/database/database.ts';
import type { Target } from '../target.ts';
import { checkSpent, deleteSpentTime, logTime } from './service.ts';

/** Time tracking columns of an issue or merge request. */
export interface Times {
  readonly time_estimate: number;
  readonly total_time_spent: number;
}

/** A time tracking change, for its system note. */
export type TimeEvent =
  | { readonly kind: 'estimated'; readonly before: number; readonly after: number }
  | { readonly kind: 'spent'; readonly seconds: number; readonly at: number }
  | { readonly kind: 'forgotten' };

interface TimeChange {
  readonly columns: Partial<Times>;
  readonly event?: TimeEvent | undefined;
}

/** Computes a time tracking change from the current values of a locked row. */
export type ChangeOfTimes = (trx: Writer, times: Times, target: Target, userId: number) => Promise<TimeChange>;

export function estimateChange(seconds: number): ChangeOfTimes {
  return async (_trx, { time_estimate }) => {
    if (seconds === time_estimate) return { columns: {} };
    return { columns: { time_estimate: seconds }, event: { kind: 'estimated', before: time_estimate, after: seconds } };
  };
}

/** Logs the time that `secondsOf` computes from the total spent before. */
export function spentTimeChange(
  secondsOf: (total: number) => number,
  { summary, at = Date.now() }: { readonly summary?: string | undefined; readonly at?: number } = {},
): ChangeOfTimes {
  return async (trx, times, target, userId) => {
    const seconds = secondsOf(times.total_time_spent);
    await logTime(trx, target, userId, { seconds, summary, at });
    const total_time_spent = times.total_time_spent + seconds;
    return { columns: { total_time_spent }, event: { kind: 'spent', seconds, at } };
  };
}

export const resettingSpentTime: ChangeOfTimes = async (trx, { total_time_spent }, target) => {
  await deleteSpentTime(trx, target);
  return { columns: { total_time_spent: 0 }, event: total_time_spent === 0 ? undefined : { kind: 'forgotten' } };
};

/** Implements `/spend 3h` and `/remove_time_spent`. */
export function spendCommandChange({
  duration,
  spent_at,
}: {
  readonly duration: number | 'reset';
  readonly spent_at?: string | undefined;
}): ChangeOfTimes {
  if (duration === 'reset') return resettingSpentTime;
  return spentTimeChange(
    (total) => checkSpent(duration, total),
    spent_at === undefined ? {} : { at: Date.parse(spent_at) },
  );
}
