import { HttpError, ParameterError } from '../errors.ts';

/** A parsed query string or form: strings, nested by brackets. */
export type Nested = { [key: string]: unknown };

const maxDepth = 32;
const maxPairs = 100_000;
/** The maximum number of lists and hashes in one form: a short pair can create as many as it is deep. */
const maxContainers = 20_000;

/** A NUL byte or invalid UTF-8: rejected as text, before anything parses it. */
export class UnreadableText extends HttpError {
  constructor() {
    super(400, 'Bad Request', { 'content-type': 'text/plain' });
  }
}

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    throw new UnreadableText();
  }
}

function isRecord(value: unknown): value is Nested {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `a[b][][c]` -> `['a', 'b', '', 'c']`. An unclosed bracket is part of the name. */
export function splitKey(key: string): string[] {
  const open = key.indexOf('[');
  if (open <= 0) return [key];
  const parts = [key.slice(0, open)];
  let at = open;
  while (at < key.length) {
    const close = key.indexOf(']', at);
    if (key[at] !== '[' || close < 0) return [key];
    parts.push(key.slice(at + 1, close));
    if (parts.length > maxDepth) throw new ParameterError('Parameters nested too deeply');
    at = close + 1;
  }
  return parts;
}

/** A map to which pairs are added by the rules of Rack: later scalars win, brackets nest. */
export class NestedParams {
  readonly value: Nested = emptyRecord();
  #containers = 0;

  /** Adds one decoded pair. */
  add(key: string, value: unknown): void {
    if (key.includes('\0') || (typeof value === 'string' && value.includes('\0'))) throw new UnreadableText();
    if (key.includes('[')) this.#assign(this.value, splitKey(key), 0, value);
    else this.value[key] = value;
  }

  #assign(start: Nested, parts: readonly string[], from: number, value: unknown): void {
    let target = start;
    let at = from;
    for (;;) {
      const name = parts[at] ?? '';
      const step = parts[at + 1];
      if (step === undefined) {
        target[name] = value;
        return;
      }
      const present = target[name];
      if (step === '') {
        const list = Array.isArray(present) ? present : this.#count<unknown[]>([]);
        target[name] = list;
        this.#append(list, parts, at + 2, value);
        return;
      }
      const inner = isRecord(present) ? present : this.#count(emptyRecord());
      target[name] = inner;
      target = inner;
      at += 1;
    }
  }

  /** `a[][x]=1&a[][y]=2&a[][x]=3` fills one element until a key repeats, then starts the next. */
  #append(list: unknown[], parts: readonly string[], from: number, value: unknown): void {
    if (from >= parts.length) {
      list.push(value);
      return;
    }
    const last = list.at(-1);
    if (isRecord(last) && !holds(last, parts, from)) {
      this.#assign(last, parts, from, value);
      return;
    }
    const element = this.#count(emptyRecord());
    this.#assign(element, parts, from, value);
    list.push(element);
  }

  #count<C>(container: C): C {
    this.#containers += 1;
    if (this.#containers > maxContainers) throw new ParameterError('Too many total parameters');
    return container;
  }
}

function holds(start: Nested, parts: readonly string[], from: number): boolean {
  let record = start;
  for (let at = from; ; at += 1) {
    const name = parts[at] ?? '';
    if (!Object.hasOwn(record, name)) return false;
    if (at + 1 >= parts.length) return true;
    const inner = record[name];
    if (parts[at + 1] === '' || !isRecord(inner)) return false;
    record = inner;
  }
}

// Null prototypes, so that a parameter called `__proto__` or `constructor` is a name like any other.
function emptyRecord(): Nested {
  return Object.create(null) as Nested;
}

/** Parses `a=1&b[]=2&c[k]=3`. */
export function parseNested(query: string): Nested {
  const params = new NestedParams();
  let pairs = 0;
  for (let from = 0; from < query.length; ) {
    const ampersand = query.indexOf('&', from);
    const end = ampersand < 0 ? query.length : ampersand;
    if (++pairs > maxPairs) throw new ParameterError('Too many total parameters');
    if (end > from) {
      const pair = query.slice(from, end);
      const equals = pair.indexOf('=');
      const key = decode(equals < 0 ? pair : pair.slice(0, equals));
      params.add(key, equals < 0 ? null : decode(pair.slice(equals + 1)));
    }
    from = end + 1;
  }
  return params.value;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

const isOpening = (byte: number) => byte === 0x5b || byte === 0x7b;
const isClosing = (byte: number) => byte === 0x5d || byte === 0x7d;

/** Rejects a JSON text that is excessively deep or wide, before it is parsed. */
export class JsonOutline {
  #depth = 0;
  #values = 0;
  #inText = false;
  #escaped = false;

  take(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length) at = this.#inText ? this.#skipText(bytes, at) : this.#readStructure(bytes, at);
    if (this.#values > 2 * maxPairs) throw new ParameterError('Too many total parameters');
  }

  #readStructure(bytes: Buffer, from: number): number {
    for (let at = from; at < bytes.length; at += 1) {
      const byte = bytes[at] as number;
      if (byte === COMMA) this.#values += 1;
      else if (isOpening(byte)) this.#open();
      else if (isClosing(byte)) this.#depth -= 1;
      else if (byte === QUOTE) {
        this.#inText = true;
        return at + 1;
      }
    }
    return bytes.length;
  }

  #skipText(bytes: Buffer, from: number): number {
    let at = this.#escaped ? from + 1 : from;
    this.#escaped = false;
    // Byte by byte: searching for each of half a million escapes took a hundred times as long.
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (byte === QUOTE) {
        this.#inText = false;
        return at + 1;
      }
      if (byte === BACKSLASH) at += 1;
    }
    this.#escaped = at > bytes.length;
    return bytes.length;
  }

  #open(): void {
    this.#values += 1;
    this.#depth += 1;
    if (this.#depth > maxDepth) throw new ParameterError('Parameters nested too deeply');
  }
}

/** Rejects a JSON body that is excessively deep or wide, before any schema walks it. */
export function checkJsonShape(value: unknown): void {
  let total = 0;
  const visit = (node: unknown, depth: number): void => {
    if (typeof node === 'string' && node.includes('\0')) throw new UnreadableText();
    if (typeof node !== 'object' || node === null) return;
    if (depth > maxDepth) throw new ParameterError('Parameters nested too deeply');
    const children = Array.isArray(node) ? node : Object.values(node);
    if (children.length > 50_000) {
      throw new ParameterError(Array.isArray(node) ? 'Array parameter too large' : 'Hash parameter too large');
    }
    total += children.length;
    if (total > maxPairs) throw new ParameterError('Too many total parameters');
    for (const child of children) visit(child, depth + 1);
  };
  visit(value, 1);
}
