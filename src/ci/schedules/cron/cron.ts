/** A parsed five-field cron expression. */
export interface Cron {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  /** Counted from 1; negative values count from the end of the month, -1 being the last day. Null: any day. */
  readonly monthDays: ReadonlySet<number> | null;
  readonly months: ReadonlySet<number>;
  /** Days of the week, Sunday being 0. Null: any day. */
  readonly weekDays: readonly WeekDay[] | null;
  /** The hour field is unrestricted, so the schedule runs every hour across clock changes. */
  readonly everyHour: boolean;
}

/** A day of the week. `nth` restricts it to one occurrence in the month; negative values count from the end. */
export interface WeekDay {
  readonly day: number;
  readonly nth: number | null;
}

const shorthands: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@noon', '0 12 * * *'],
  ['@hourly', '0 * * * *'],
]);
const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const dayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** Returns null for an invalid expression. */
export function parseCron(text: string): Cron | null {
  const written = text.trim().toLowerCase();
  if (written.length > 255) return null;
  const fields = (shorthands.get(written) ?? written).split(/\s+/);
  const [minute, hour, monthDay, month, weekDay] = fields;
  if (fields.length !== 5) return null;
  const minutes = numbers(minute, { low: 0, high: 59 });
  const hours = numbers(hour === '24' ? '0' : hour, { low: 0, high: 23 });
  const days =
    monthDay === '*' ? null : numbers(monthDay?.replaceAll(/\bl\b/g, '-1'), { low: 1, high: 31, fromEnd: true });
  const months = numbers(month, { low: 1, high: 12, names: monthNames });
  const week = weekDay === '*' ? null : weekDays(weekDay);
  if (minutes === null || hours === null || months === null || week === undefined) return null;
  if (days === null && monthDay !== '*') return null;
  return {
    minutes,
    hours,
    monthDays: days && new Set(days),
    months: new Set(months),
    weekDays: week,
    everyHour: hour === '*' || hour === '*/1',
  };
}

interface Range {
  readonly low: number;
  readonly high: number;
  readonly names?: readonly string[];
  readonly fromEnd?: boolean;
}

/**
 * Parses `1`, `1-5`, `22-2`, `*`, steps such as `/5`, and comma-separated lists of these. Sorted, without duplicates.
 */
function numbers(field: string | undefined, range: Range): number[] | null {
  const found = new Set<number>();
  for (const part of (field ?? '').split(',')) {
    const some = numbersOf(part, range);
    if (some === null) return null;
    for (const one of some) found.add(one);
  }
  return [...found].sort((left, right) => left - right);
}

function numbersOf(part: string, range: Range): number[] | null {
  const match = /^(\*|-?\w+)(?:-(\w+))?(?:\/(\d{1,4}))?$/.exec(part);
  if (match === null) return null;
  const [, start = '', end, step] = match;
  const every = step === undefined ? 1 : Number(step);
  if (every < 1 || (start === '*' && end !== undefined)) return null;
  const from = start === '*' ? range.low : single(start, range);
  // A start with a step but no end runs up to the highest value.
  const to = end !== undefined ? single(end, range) : start === '*' || step !== undefined ? range.high : from;
  if (from === null || to === null || (from < 0 && (end !== undefined || step !== undefined))) return null;
  if (from < 0) return [from];
  const size = range.high - range.low + 1;
  const length = from <= to ? to - from : to - from + size;
  const found: number[] = [];
  for (let offset = 0; offset <= length; offset += every) {
    found.push(((from - range.low + offset) % size) + range.low);
  }
  return found;
}

function single(text: string, { low, high, names, fromEnd }: Range): number | null {
  const named = names?.indexOf(text) ?? -1;
  if (named >= 0) return named + low;
  if (!/^-?\d{1,2}$/.test(text)) return null;
  const value = Number(text);
  if (value < 0) return fromEnd && value >= -high ? value : null;
  return value >= low && value <= high ? value : null;
}

function weekDays(field: string | undefined): WeekDay[] | undefined {
  const found: WeekDay[] = [];
  for (const part of (field ?? '').split(',')) {
    const [days = '', nth, ...more] = part.split('#');
    const some = numbersOf(days, { low: 0, high: 7, names: dayNames });
    const which = nth === undefined ? null : nth === 'l' ? -1 : Number(nth);
    if (some === null || more.length > 0) return undefined;
    if (which !== null && (!Number.isInteger(which) || which === 0 || Math.abs(which) > 5)) return undefined;
    // Sunday is both 0 and 7; a range that wraps around the end of the week would count it twice.
    for (const day of weekRange(days, some)) found.push({ day: day % 7, nth: which });
  }
  return found;
}

/** Makes `fri-mon` wrap around a week of seven days rather than eight. */
function weekRange(text: string, days: readonly number[]): readonly number[] {
  return /^\*/.test(text) || /\d-7/.test(text) ? days : days.filter((day) => day !== 7 || /(^|-)7(\/|$)/.test(text));
}
