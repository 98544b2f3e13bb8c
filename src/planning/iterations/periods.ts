import { dayToInstant, instant } from '../../platform/http/schema.ts';

const dayMs = 86_400_000;
/** Maximum number of periods created at once, however long ago the cadence started. */
const maxPeriods = 200;

export interface Period {
  readonly sequence: number;
  readonly start_date: string;
  readonly due_date: string;
}

const dayAt = (ms: number) => instant(ms).slice(0, 10);

/** Returns the missing periods of a cadence: all up to the current one, plus the number planned in advance. */
export function missingPeriods(
  {
    start_date,
    duration_in_weeks,
    iterations_in_advance,
  }: {
    readonly start_date: string;
    readonly duration_in_weeks: number;
    readonly iterations_in_advance: number;
  },
  existing: number,
  today: string,
): Period[] {
  const length = duration_in_weeks * 7 * dayMs;
  const first = dayToInstant(start_date);
  const elapsed = dayToInstant(today) - first;
  // All periods of a cadence that has not started are upcoming.
  const started = elapsed < 0 ? 0 : Math.floor(elapsed / length) + 1;
  const total = started + iterations_in_advance;
  const count = Math.min(Math.max(total - existing, 0), maxPeriods);
  return Array.from({ length: count }, (_, index) => {
    const starts = first + (existing + index) * length;
    return { sequence: existing + index + 1, start_date: dayAt(starts), due_date: dayAt(starts + length - dayMs) };
  });
}

/** 1 is upcoming, 2 current, 3 closed. */
export function stateOn({ start_date, due_date }: Pick<Period, 'start_date' | 'due_date'>, today: string): 1 | 2 | 3 {
  if (today < start_date) return 1;
  return today <= due_date ? 2 : 3;
}
