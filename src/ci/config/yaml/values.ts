/** A number whose text differs between JavaScript and Ruby: `1.0`, `1e3`, integers beyond 2^53. */
export class Decimal {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** An unresolved `!reference [job, key]`. */
export class Reference {
  readonly path: readonly string[];

  constructor(path: readonly string[]) {
    this.path = path;
  }

  toString(): string {
    return `!reference [${this.path.map((part) => JSON.stringify(part)).join(', ')}]`;
  }
}

export type Scalar = string | number | boolean | null | Decimal;
export type Value = Scalar | Reference | readonly Value[] | Mapping;
/** A Map instead of an object, because keys are untrusted (`__proto__`) and their order matters, even for numbers. */
export type Mapping = ReadonlyMap<string, Value>;

export function isMapping(value: Value | undefined): value is Mapping {
  return value instanceof Map;
}

export function isList(value: Value | undefined): value is readonly Value[] {
  return Array.isArray(value);
}

export function isInteger(value: Value | undefined): value is number {
  return typeof value === 'number' && Number.isInteger(value);
}

/** The text of a scalar, as in variables; undefined for other values. */
export function scalarText(value: Value | undefined): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value instanceof Decimal) return value.text;
  return undefined;
}

/** Converts a value to plain data for JSON. */
export function plain(value: Value | undefined): unknown {
  if (value === undefined) return null;
  if (isMapping(value)) return Object.fromEntries([...value].map(([key, inner]) => [key, plain(inner)]));
  if (isList(value)) return value.map(plain);
  if (value instanceof Decimal) return Number(value.text);
  if (value instanceof Reference) return value.toString();
  return value;
}

/** Converts plain data to a value, such as inputs of an API call or includes of a trigger. */
export function fromPlain(data: unknown): Value {
  if (data === null || data === undefined) return null;
  if (typeof data === 'string' || typeof data === 'boolean') return data;
  if (typeof data === 'number') return Number.isSafeInteger(data) ? data : new Decimal(String(data));
  if (Array.isArray(data)) return data.map(fromPlain);
  if (typeof data === 'object') return new Map(Object.entries(data).map(([key, inner]) => [key, fromPlain(inner)]));
  return String(data);
}
