/** Anything that came in as a JSON object. */
export type Given = Readonly<Record<string, unknown>>;

/** The value as an object; anything else is an empty one. */
export function objectOf(value: unknown): Given {
  return isObject(value) ? value : {};
}

export function isObject(value: unknown): value is Given {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A list that comes bare, in `values`, or as its only element; without what is no object. */
export function listOf(value: unknown): Given[] {
  if (Array.isArray(value)) return value.filter(isObject);
  if (!isObject(value)) return [];
  if (Array.isArray(value.values)) return value.values.filter(isObject);
  return 'values' in value ? [] : [value];
}

/** Text without U+0000, which PostgreSQL does not take, cut to so many characters; undefined when there is none. */
export function text(value: unknown, most: number): string | undefined {
  const given = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
  if (typeof given !== 'string' || given === '') return undefined;
  return cut(given.includes('\0') ? given.replaceAll('\0', '') : given, most) || undefined;
}

/** The text or null. */
export function textOrNull(value: unknown, most: number): string | null {
  return text(value, most) ?? null;
}

/** Cut between characters, never inside of one. */
export function cut(value: string, most: number): string {
  if (value.length <= most) return value;
  const last = value.charCodeAt(most - 1);
  return value.slice(0, last >= 0xd800 && last < 0xdc00 ? most - 1 : most);
}

/** A whole number from zero up, as lines and columns are. */
export function count(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) && (number as number) >= 0 ? (number as number) : null;
}
