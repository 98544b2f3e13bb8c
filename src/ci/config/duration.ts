const day = 86_400;

const units: Readonly<Record<string, number>> = Object.assign(Object.create(null), {
  s: 1,
  sec: 1,
  secs: 1,
  second: 1,
  seconds: 1,
  m: 60,
  min: 60,
  mins: 60,
  minute: 60,
  minutes: 60,
  h: 3600,
  hr: 3600,
  hrs: 3600,
  hour: 3600,
  hours: 3600,
  d: day,
  dy: day,
  day: day,
  days: day,
  w: 7 * day,
  wk: 7 * day,
  week: 7 * day,
  weeks: 7 * day,
  mo: 30 * day,
  mos: 30 * day,
  mth: 30 * day,
  mths: 30 * day,
  month: 30 * day,
  months: 30 * day,
  y: 365.25 * day,
  yr: 365.25 * day,
  yrs: 365.25 * day,
  year: 365.25 * day,
  years: 365.25 * day,
});

const numberWords: Readonly<Record<string, number>> = Object.assign(Object.create(null), {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  fifteen: 15,
  twenty: 20,
  thirty: 30,
  forty: 40,
  fifty: 50,
  sixty: 60,
  ninety: 90,
});

/** Parses `1 hour 30 min`, `3 mins 4 sec`, `1h30m`, `01:30:00` or a number of seconds; null when invalid. */
export function durationSeconds(text: string): number | null {
  const normalized = text.trim().toLowerCase();
  if (normalized === '' || normalized.length > 255) return null;
  return clock(normalized) ?? natural(normalized);
}

/** `expire_in: never`. */
export function neverExpires(text: string): boolean {
  return text.trim().toLowerCase() === 'never';
}

function clock(text: string): number | null {
  if (!/^\d+(:[0-5]?\d){1,2}$/.test(text)) return null;
  return text.split(':').reduce((total, part) => total * 60 + Number(part), 0);
}

function natural(text: string): number | null {
  const parts = text.match(/\d+(?:\.\d+)?|[a-z]+|[^\s,\da-z]/g) ?? [];
  let total = 0;
  let amount: number | null = null;
  let any = false;
  for (const part of parts) {
    if (part === 'and') continue;
    const number: number | undefined = /^\d/.test(part)
      ? Number(part)
      : amount === null
        ? numberWords[part]
        : undefined;
    if (number !== undefined) {
      if (amount !== null) return null;
      amount = number;
      continue;
    }
    const unit = units[part];
    if (unit === undefined || amount === null) return null;
    total += amount * unit;
    amount = null;
    any = true;
  }
  if (amount !== null) {
    if (any) return null;
    total = amount;
  } else if (!any) return null;
  return Math.round(total);
}
