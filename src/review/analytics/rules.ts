import { tiers } from '../../ci/environments/public.ts';
import { BadRequest } from '../../platform/http/errors.ts';
import { dayToInstant, instant } from '../../platform/http/schema.ts';

export const metrics = [
  'deployment_frequency',
  'lead_time_for_changes',
  'time_to_restore_service',
  'change_failure_rate',
] as const;
export type Metric = (typeof metrics)[number];
export const intervals = ['all', 'monthly', 'daily'] as const;
export type Interval = (typeof intervals)[number];

export const dayLength = 86_400_000;
const maxRangeDays = 365;
/** Default range of a request, in months. */
const defaultMonths = 3;

/** A time interval, excluding its end, for which one value is computed; `date` is null for the whole range. */
export interface Bucket {
  readonly date: string | null;
  readonly from: number;
  readonly until: number;
}

export interface MetricQuestion {
  readonly metric: Metric;
  readonly tiers: readonly string[];
  readonly interval: Interval;
  readonly buckets: readonly Bucket[];
}

interface Asked {
  readonly metric: string;
  readonly environment_tiers?: readonly string[];
  readonly interval: string;
  readonly start_date?: string;
  readonly end_date?: string;
}

const isOneOf = <const V extends string>(values: readonly V[], word: string): word is V =>
  (values as readonly string[]).includes(word);

/** Validates the request; throws the first error. */
export function readQuestion(asked: Asked, now: number): MetricQuestion {
  const { metric, interval, environment_tiers: wanted = ['production'] } = asked;
  const start = dayToInstant(asked.start_date ?? monthsBefore(now));
  const end = dayToInstant(asked.end_date ?? instant(now).slice(0, 10));
  if ((end - start) / dayLength > maxRangeDays) {
    throw BadRequest.plain(`Date range must be shorter than ${maxRangeDays} days.`);
  }
  if (start > end) throw BadRequest.plain('The start date must be earlier than the end date.');
  if (!isOneOf(metrics, metric)) throw BadRequest.plain(`The metric must be one of ${metrics.join(', ')}.`);
  if (!isOneOf(intervals, interval)) throw BadRequest.plain(`The interval must be one of ${intervals.join(', ')}.`);
  if (wanted.length === 0 || !wanted.every((tier) => isOneOf(tiers, tier))) {
    throw BadRequest.plain(`The environment tiers must be from ${tiers.join(', ')}.`);
  }
  return { metric, interval, tiers: wanted, buckets: bucketsOf(interval, start, end + dayLength) };
}

/** The date this many months ago, limited to the last day of that month. */
function monthsBefore(now: number): string {
  const today = new Date(now);
  const [year, month] = [today.getUTCFullYear(), today.getUTCMonth() - defaultMonths];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return instant(Date.UTC(year, month, Math.min(today.getUTCDate(), lastDay))).slice(0, 10);
}

function bucketsOf(interval: Interval, start: number, end: number): Bucket[] {
  if (interval === 'all') return [{ date: null, from: start, until: end }];
  const buckets: Bucket[] = [];
  for (let from = start; from < end; ) {
    const until = Math.min(end, interval === 'daily' ? from + dayLength : nextMonth(from));
    const date = instant(from).slice(0, 10);
    buckets.push({ date: interval === 'daily' ? date : `${date.slice(0, 7)}-01`, from, until });
    from = until;
  }
  return buckets;
}

function nextMonth(at: number): number {
  const day = new Date(at);
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 1);
}
