/** A point in time, with the time zone to print it in. */
export interface CalendarTime {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** UTC offset in minutes. */
  readonly zone: number;
}

const months = 'January February March April May June July August September October November December'.split(' ');
const days = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');
const day = 24 * 60 * 60 * 1000;

/** The value of a directive: a text, or a number with its default width and padding character. */
type Field = string | { readonly number: number; readonly width: number; readonly fill: '0' | ' ' };

const zeroed = (number: number, width = 2): Field => ({ number, width, fill: '0' });
const spaced = (number: number): Field => ({ number, width: 2, fill: ' ' });

/** The local time, stored in the UTC fields of a Date. */
const local = ({ at, zone }: CalendarTime) => new Date(at + zone * 60_000);

const dayOfYear = (date: Date) => Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / day) + 1;
const twelve = (date: Date) => date.getUTCHours() % 12 || 12;
const half = (date: Date) => (date.getUTCHours() < 12 ? 'AM' : 'PM');
/** Week of the year for weeks starting on the given weekday, counted from the first such day. */
const weekFrom = (date: Date, weekday: number) =>
  Math.floor((dayOfYear(date) + 6 - ((date.getUTCDay() - weekday + 7) % 7)) / 7);

/** ISO 8601 week: it belongs to the year that contains its Thursday. */
function isoWeek(date: Date): { year: number; week: number } {
  const thursday = new Date(date.getTime() + (4 - (date.getUTCDay() || 7)) * day);
  return { year: thursday.getUTCFullYear(), week: Math.floor((dayOfYear(thursday) - 1) / 7) + 1 };
}

function zoneText(zone: number, colon: string): string {
  const minutes = Math.abs(zone);
  const part = (value: number) => String(value).padStart(2, '0');
  return `${zone < 0 ? '-' : '+'}${part(Math.floor(minutes / 60))}${colon}${part(minutes % 60)}`;
}

const fields: Readonly<Record<string, (date: Date, time: CalendarTime) => Field>> = {
  Y: (date) => String(date.getUTCFullYear()),
  C: (date) => zeroed(Math.floor(date.getUTCFullYear() / 100)),
  y: (date) => zeroed(date.getUTCFullYear() % 100),
  m: (date) => zeroed(date.getUTCMonth() + 1),
  B: (date) => months[date.getUTCMonth()] as string,
  b: (date) => (months[date.getUTCMonth()] as string).slice(0, 3),
  h: (date) => (months[date.getUTCMonth()] as string).slice(0, 3),
  d: (date) => zeroed(date.getUTCDate()),
  e: (date) => spaced(date.getUTCDate()),
  j: (date) => zeroed(dayOfYear(date), 3),
  H: (date) => zeroed(date.getUTCHours()),
  k: (date) => spaced(date.getUTCHours()),
  I: (date) => zeroed(twelve(date)),
  l: (date) => spaced(twelve(date)),
  p: half,
  P: (date) => half(date).toLowerCase(),
  M: (date) => zeroed(date.getUTCMinutes()),
  S: (date) => zeroed(date.getUTCSeconds()),
  L: (date) => zeroed(date.getUTCMilliseconds(), 3),
  N: (date) => zeroed(date.getUTCMilliseconds() * 1_000_000, 9),
  z: (_date, { zone }) => zoneText(zone, ''),
  ':z': (_date, { zone }) => zoneText(zone, ':'),
  Z: (_date, { zone }) => (zone === 0 ? 'UTC' : zoneText(zone, ':')),
  A: (date) => days[date.getUTCDay()] as string,
  a: (date) => (days[date.getUTCDay()] as string).slice(0, 3),
  u: (date) => String(date.getUTCDay() || 7),
  w: (date) => String(date.getUTCDay()),
  G: (date) => String(isoWeek(date).year),
  g: (date) => zeroed(isoWeek(date).year % 100),
  V: (date) => zeroed(isoWeek(date).week),
  U: (date) => zeroed(weekFrom(date, 0)),
  W: (date) => zeroed(weekFrom(date, 1)),
  s: (_date, { at }) => String(Math.floor(at / 1000)),
  n: () => '\n',
  t: () => '\t',
  '%': () => '%',
};

/** Directives that expand to several others. */
const combined: Readonly<Record<string, string>> = {
  c: '%a %b %e %H:%M:%S %Y',
  D: '%m/%d/%y',
  x: '%m/%d/%y',
  F: '%Y-%m-%d',
  T: '%H:%M:%S',
  X: '%H:%M:%S',
  R: '%H:%M',
  r: '%I:%M:%S %p',
  v: '%e-%^b-%Y',
};

const directive = /%([-0_^#]*)(\d{0,3})(:?[A-Za-z%])/g;

/** Formats a time with a `strftime` format. Unknown directives are kept as they are. */
export function strftime(format: string, time: CalendarTime): string {
  const date = local(time);
  return format.replace(directive, (whole, flags: string, width: string, name: string) => {
    const parts = combined[name];
    const field = parts === undefined ? fields[name]?.(date, time) : strftime(parts, time);
    return field === undefined ? whole : print(field, flags, width === '' ? undefined : Number(width));
  });
}

function print(field: Field, flags: string, width: number | undefined): string {
  const isText = typeof field === 'string';
  const filler = flags.includes('_') ? ' ' : flags.includes('0') ? '0' : isText ? ' ' : field.fill;
  const least = flags.includes('-') ? 0 : (width ?? (isText ? 0 : field.width));
  const text = (isText ? field : String(field.number)).padStart(least, filler);
  if (flags.includes('^')) return text.toUpperCase();
  return flags.includes('#') ? swapped(text) : text;
}

/** Swaps the case: upper case unless the text already is. */
function swapped(text: string): string {
  return text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase();
}

/** The UTC offset of a timestamp in minutes; 0 when it has none. */
export function zoneOf(timestamp: string): number {
  const found = /([+-])(\d{2}):?(\d{2})$/.exec(timestamp.trim());
  if (!found || !timestamp.includes(':')) return 0;
  const minutes = Number(found[2]) * 60 + Number(found[3]);
  return found[1] === '-' ? -minutes : minutes;
}
