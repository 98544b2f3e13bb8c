/** A schedule of five fields, read. */
export interface Cron {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  /** From 1; negative ones count from the end of the month, -1 being the last day. Null: any. */
  readonly monthDays: ReadonlySet<number> | null;
  readonly months: ReadonlySet<number>;
  /** Days of the week, Sunday being 0; null: any. */
  readonly weekDays: readonly WeekDay[] | null;
  /** The hour is left open: the schedule follows the clock through its changes, hour by hour. */
  readonly everyHour: boolean;
}

/** `nth`: only that one of the month; negative from its end. */
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

/** Null for what is no schedule. */
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

/** `1`, `1-5`, `22-2`, `*`, `*` with `/5`, and lists of these; in order, each once. */
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
  // A start with a step and no end runs to the last one.
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
    // Sunday is 7 as well as 0; a range that runs over the end of the week would count it twice.
    for (const day of weekRange(days, some)) found.push({ day: day % 7, nth: which });
  }
  return found;
}

/** `fri-mon` goes round a week of seven days, not of eight. */
function weekRange(text: string, days: readonly number[]): readonly number[] {
  return /^\*/.test(text) || /\d-7/.test(text) ? days : days.filter((day) => day !== 7 || /(^|-)7(\/|$)/.test(text));
}
