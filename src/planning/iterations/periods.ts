import { dayToInstant, instant } from '../../platform/http/schema.ts';

const dayMs = 86_400_000;
/** No more are made at once, however long ago a cadence began. */
const most = 200;

export interface Period {
  readonly sequence: number;
  readonly start_date: string;
  readonly due_date: string;
}

const dayAt = (ms: number) => instant(ms).slice(0, 10);

/** The periods that a cadence still lacks: all up to today's, and as many after it as it plans in advance. */
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
  made: number,
  today: string,
): Period[] {
  const length = duration_in_weeks * 7 * dayMs;
  const first = dayToInstant(start_date);
  const elapsed = dayToInstant(today) - first;
  // Of a cadence that has not begun, all are upcoming.
  const begun = elapsed < 0 ? 0 : Math.floor(elapsed / length) + 1;
  const wanted = begun + iterations_in_advance;
  const count = Math.min(Math.max(wanted - made, 0), most);
  return Array.from({ length: count }, (_, index) => {
    const starts = first + (made + index) * length;
    return { sequence: made + index + 1, start_date: dayAt(starts), due_date: dayAt(starts + length - dayMs) };
  });
}

/** 1 upcoming, 2 current, 3 closed. */
export function stateOn({ start_date, due_date }: Pick<Period, 'start_date' | 'due_date'>, today: string): 1 | 2 | 3 {
  if (today < start_date) return 1;
  return today <= due_date ? 2 : 3;
}
