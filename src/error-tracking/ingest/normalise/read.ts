/** Any JSON object as received. */
export type RawObject = Readonly<Record<string, unknown>>;

/** Returns the value if it is an object, else an empty object. */
export function objectOf(value: unknown): RawObject {
  return isObject(value) ? value : {};
}

export function isObject(value: unknown): value is RawObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads a list of objects that may be bare, in `values`, or a single object. Other elements are dropped. */
export function listOf(value: unknown): RawObject[] {
  if (Array.isArray(value)) return value.filter(isObject);
  if (!isObject(value)) return [];
  if (Array.isArray(value.values)) return value.values.filter(isObject);
  return 'values' in value ? [] : [value];
}

/**
 * Converts a value to text truncated to a length; undefined if empty. U+0000, which PostgreSQL rejects, is removed, and
 * lone surrogates are replaced here, because databases would turn different ones into the same text.
 */
export function text(value: unknown, maxLength: number): string | undefined {
  const converted = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
  if (typeof converted !== 'string' || converted === '') return undefined;
  const stored = converted.includes('\0') ? converted.replaceAll('\0', '') : converted;
  return cut(stored.toWellFormed(), maxLength) || undefined;
}

/** Like `text`, but returns null. */
export function textOrNull(value: unknown, maxLength: number): string | null {
  return text(value, maxLength) ?? null;
}

/** Truncates without splitting a surrogate pair. */
export function cut(value: string, maxLength: number): string {
  if (value.length <= maxLength) return value;
  const last = value.charCodeAt(maxLength - 1);
  return value.slice(0, last >= 0xd800 && last < 0xdc00 ? maxLength - 1 : maxLength);
}

/** Parses a non-negative integer, such as a line number. */
export function count(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) && (number as number) >= 0 ? (number as number) : null;
}
