/** A calendar date in the format YYYY-MM-DD. */
export type Day = string;

const monthNames = 'january february march april may june july august september october november december'.split(' ');
const weekdayNames = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ');
const counts = new Map(
  'a one two three four five six seven eight nine ten'.split(' ').map((word, at) => [word, at || 1]),
);
counts.set('an', 1);

/** Index of a name that is written in full or abbreviated to at least three letters; -1 if there is none. */
function numberOfName(names: readonly string[], text: string): number {
  return text.length < 3 ? -1 : names.findIndex((name) => name.startsWith(text.replace(/\.$/, '')));
}

function dayOf(date: Date): Day {
  return date.toISOString().slice(0, 10);
}

function dayFrom(year: number, month: number, day: number): Day | undefined {
  const date = new Date(Date.UTC(year, month - 1, day));
  const exists = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return exists && year >= 1000 ? dayOf(date) : undefined;
}

function plusDays(today: Day, days: number): Day {
  const date = new Date(`${today}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return dayOf(date);
}

/** Adds months to a date, limited to the last day of the resulting month. */
function plusMonths(today: Day, months: number): Day {
  const [year = 0, month = 0, day = 0] = today.split('-').map(Number);
  const lastOfTarget = new Date(Date.UTC(year, month - 1 + months + 1, 0));
  lastOfTarget.setUTCDate(Math.min(day, lastOfTarget.getUTCDate()));
  return dayOf(lastOfTarget);
}

function after(today: Day, count: number, unit: string): Day | undefined {
  if (count > 10_000) return undefined;
  if (unit === 'day') return plusDays(today, count);
  if (unit === 'week') return plusDays(today, 7 * count);
  if (unit === 'month') return plusMonths(today, count);
  return count > 1000 ? undefined : plusMonths(today, 12 * count);
}

/** The next occurrence of a weekday, which is never today. */
function weekday(today: Day, text: string): Day | undefined {
  const wanted = numberOfName(weekdayNames, text);
  if (wanted === -1) return undefined;
  const current = new Date(`${today}T00:00:00Z`).getUTCDay();
  return plusDays(today, (wanted - current + 7) % 7 || 7);
}

/** `January 5th`, `5 Jan 2027`; without a year, the next occurrence of the date. */
function monthAndDay(today: Day, words: readonly string[]): Day | undefined {
  if (words.length < 2 || words.length > 3) return undefined;
  const [first = '', second = '', year] = words;
  const [monthWord, dayWord] = /^\d/.test(first) ? [second, first] : [first, second];
  const month = numberOfName(monthNames, monthWord) + 1;
  const day = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(dayWord)?.[1];
  if (month === 0 || day === undefined || (year !== undefined && !/^\d{4}$/.test(year))) return undefined;
  const thisYear = Number(today.slice(0, 4));
  if (year !== undefined) return dayFrom(Number(year), month, Number(day));
  const date = dayFrom(thisYear, month, Number(day));
  return date !== undefined && date >= today ? date : dayFrom(thisYear + 1, month, Number(day));
}

function relative(today: Day, text: string): Day | undefined {
  if (text === 'today' || text === 'now') return today;
  if (text === 'tomorrow') return plusDays(today, 1);
  if (text === 'yesterday') return plusDays(today, -1);
  const distance = /^(?:in )?(\d{1,5}|[a-z]+) (day|week|month|year)s?( from now)?$/.exec(text);
  const [, count = '', unit = '', fromNow] = distance ?? [];
  if (distance && (text.startsWith('in ') || fromNow)) {
    const number = counts.get(count) ?? Number(count);
    if (Number.isInteger(number)) return after(today, number, unit);
  }
  const next = /^next (day|week|month|year)$/.exec(text)?.[1];
  return next === undefined ? undefined : after(today, 1, next);
}

/** Parses dates such as `2026-01-31`, `in 2 days`, `next friday` and `Dec 31st`. */
export function parseDay(text: string, today: Day): Day | undefined {
  if (text.length > 100) return undefined;
  const normalized = text.trim().toLowerCase().replace(/,/g, ' ').replace(/\s+/g, ' ');
  const iso = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:t.*)?$/.exec(normalized);
  if (iso) return dayFrom(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  const american = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(normalized);
  if (american) return dayFrom(Number(american[3]), Number(american[1]), Number(american[2]));
  return (
    relative(today, normalized) ??
    weekday(today, normalized.replace(/^(?:this|next|on) /, '')) ??
    monthAndDay(today, normalized.replace(/^on /, '').replace(' of ', ' ').split(' '))
  );
}

/** `Jan 5, 2025`. */
export function shortDay(day: Day): string {
  const [year = '', month = '', date = ''] = day.split('-');
  const name = monthNames[Number(month) - 1] ?? '';
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1, 3)} ${Number(date)}, ${year}`;
}
