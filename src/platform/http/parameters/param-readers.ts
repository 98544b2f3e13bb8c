import { UploadedFile } from '../bodies/upload.ts';

/** Parses a raw value; `undefined` without an added problem means "as if it was not sent". */
export type Reader<T> = (raw: unknown, name: string, problems: string[]) => T | undefined;

const truths = new Set(['true', 't', '1', 'y', 'yes', 'on', 'True', 'TRUE', 'T', 'Y', 'Yes', 'YES', 'On', 'ON']);
const untruths = new Set(['false', 'f', '0', 'n', 'no', 'off', 'False', 'FALSE', 'F', 'N', 'No', 'NO', 'Off', 'OFF']);

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof UploadedFile);
}

export function isBlank(value: unknown): boolean {
  if (value === null) return true;
  if (typeof value === 'string') return value.trim() === '';
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.keys(value).length === 0;
}

function invalid(name: string, problems: string[]): undefined {
  problems.push(`${name} is invalid`);
  return undefined;
}

// A list where a text is declared is rejected, not joined or truncated: accepting both once cost a forge its accounts.
export const string: Reader<string> = (raw, name, problems) => {
  if (typeof raw === 'string') return raw;
  if (typeof raw === 'number' || typeof raw === 'boolean') return String(raw);
  return invalid(name, problems);
};

export const integer: Reader<number> = (raw, name, problems) => {
  if (typeof raw === 'number' && Number.isSafeInteger(raw)) return raw;
  if (raw === '') return undefined;
  if (typeof raw === 'string' && /^[+-]?\d{1,15}$/.test(raw.trim())) return Number(raw);
  return invalid(name, problems);
};

/** A number for a 32-bit column: PostgreSQL rejects larger ones, SQLite would store them. */
export const int32: Reader<number> = (raw, name, problems) => {
  const value = integer(raw, name, problems);
  return value !== undefined && (value | 0) !== value ? invalid(name, problems) : value;
};

/** Inside lists of numbers, text that is not a number counts as 0. */
export const lenientInteger: Reader<number> = (raw) => {
  const value = typeof raw === 'number' ? raw : Number.parseInt(String(raw), 10);
  return Number.isSafeInteger(value) ? value : 0;
};

export const float: Reader<number> = (raw, name, problems) => {
  if (raw === '') return undefined;
  const value = typeof raw === 'number' ? raw : typeof raw === 'string' ? Number(raw) : Number.NaN;
  return Number.isFinite(value) ? value : invalid(name, problems);
};

export const boolean: Reader<boolean> = (raw, name, problems) => {
  if (typeof raw === 'boolean') return raw;
  if (raw === '') return undefined;
  const text = typeof raw === 'number' ? String(raw) : raw;
  if (typeof text === 'string' && truths.has(text)) return true;
  if (typeof text === 'string' && untruths.has(text)) return false;
  return invalid(name, problems);
};

// Extended or basic format, `2024-01-31` or `20240131`, not a mixture.
const isoDate = /^(\d{4})(-?)(\d{2})\2(\d{2})(?:$|[T ])/;
const isoClock = /^(\d{2})(?:(:?)(\d{2})(?:\2(\d{2}(?:\.\d{1,9})?))?)?\s?(Z|z|UTC|[+-]\d{2}(?::?\d{2})?)?$/;

/** The date at the beginning of a text, as `2024-01-31`, if it exists: `Date` turns 30 February into a day in March. */
function dayOf(text: string): string | undefined {
  const [, year, , month, date] = isoDate.exec(text) ?? [];
  const day = `${year}-${month}-${date}`;
  const instant = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(instant) && new Date(instant).toISOString().startsWith(day) ? day : undefined;
}

export const date: Reader<string> = (raw, name, problems) => {
  if (raw === '') return undefined;
  const day = typeof raw === 'string' ? dayOf(raw) : undefined;
  return day ?? invalid(name, problems);
};

/** Parses ISO 8601 to milliseconds, a date alone as midnight UTC; undefined if it is neither. */
export function parseDateTime(text: string): number | undefined {
  const trimmed = text.trim();
  const day = dayOf(trimmed);
  const clock = isoClock.exec(trimmed.split(/[T ](.*)/s, 2)[1] ?? '00');
  if (day === undefined || !clock) return undefined;
  const [, hour, , minute = '00', second = '00', zone = 'Z'] = clock;
  const offset = /^[zZU]/.test(zone) ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '') || '00'}`;
  const instant = Date.parse(`${day}T${hour}:${minute}:${second}${offset}`);
  return Number.isNaN(instant) ? undefined : instant;
}

export const dateTime: Reader<number> = (raw, name, problems) => {
  if (raw === '') return undefined;
  const instant = typeof raw === 'string' ? parseDateTime(raw) : undefined;
  return instant ?? invalid(name, problems);
};

export function oneOf<V extends string>(values: readonly V[]): Reader<V> {
  return (raw, name, problems) => {
    const value = values.find((known) => known === raw);
    if (value === undefined) problems.push(`${name} does not have a valid value`);
    return value;
  };
}

export function integerOf(values: readonly number[]): Reader<number> {
  return (raw, name, problems) => {
    const value = integer(raw, name, problems);
    if (value === undefined || values.includes(value)) return value;
    problems.push(`${name} does not have a valid value`);
    return undefined;
  };
}

/** Parses elements one by one; with `comma`, a text is split and trimmed, and trailing blanks are dropped. */
export function list<T>(element: Reader<T>, comma: boolean): Reader<T[]> {
  return (raw, name, problems) => {
    const sent = isRecord(raw) && Object.keys(raw).every((key) => /^\d+$/.test(key)) ? Object.values(raw) : raw;
    const parts = (Array.isArray(sent) ? sent : [sent]).flatMap((part) => (comma ? splitCommas(part) : [part]));
    if (!Array.isArray(sent) && (typeof sent === 'object' || (!comma && sent !== ''))) return invalid(name, problems);
    const before = problems.length;
    const values: T[] = [];
    for (const part of parts) {
      if (part === '' || part === null) continue;
      const value = element(part, name, problems);
      if (problems.length > before) return undefined;
      if (value !== undefined) values.push(value);
    }
    return values;
  };
}

function splitCommas(part: unknown): unknown[] {
  return typeof part === 'string' ? part.split(',').map((piece) => piece.trim()) : [part];
}

export const stringMap: Reader<Record<string, string>> = (raw, name, problems) => {
  if (raw === '') return undefined;
  if (!isRecord(raw)) return invalid(name, problems);
  const result: Record<string, string> = {};
  for (const [key, value] of Object.entries(raw)) {
    const text = string(value, `${name}[${key}]`, problems);
    if (text !== undefined) result[key] = text;
  }
  return result;
};

export const file: Reader<UploadedFile | ''> = (raw, name, problems) =>
  raw === '' || raw instanceof UploadedFile ? raw : invalid(name, problems);
