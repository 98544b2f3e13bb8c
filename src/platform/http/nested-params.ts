import { HttpError, ParameterError } from './errors.ts';

/** A parsed query string or form: strings, nested by brackets. */
export type Nested = { [key: string]: unknown };

const maxDepth = 32;
const maxPairs = 100_000;

/** A NUL byte or bytes that are no UTF-8: refused as text, before anything reads them. */
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

/** `a[b][][c]` -> `['a', 'b', '', 'c']`. A bracket that is never closed is part of the name. */
export function splitKey(key: string): string[] {
  const open = key.indexOf('[');
  if (open <= 0) return [key];
  const parts = [key.slice(0, open)];
  let at = open;
  while (at < key.length) {
    const close = key.indexOf(']', at);
    if (key[at] !== '[' || close < 0) return [key];
    parts.push(key.slice(at + 1, close));
    at = close + 1;
  }
  if (parts.length > maxDepth) throw new ParameterError('Parameters nested too deeply');
  return parts;
}

function assign(target: Nested, parts: readonly string[], value: unknown): void {
  const [name = '', ...rest] = parts;
  const [step, ...below] = rest;
  if (step === undefined) {
    target[name] = value;
  } else if (step === '') {
    const list = Array.isArray(target[name]) ? (target[name] as unknown[]) : [];
    target[name] = list;
    appendTo(list, below, value);
  } else {
    const inner = isRecord(target[name]) ? (target[name] as Nested) : emptyRecord();
    target[name] = inner;
    assign(inner, rest, value);
  }
}

/** `a[][x]=1&a[][y]=2&a[][x]=3` fills one element until a key repeats, then starts the next. */
function appendTo(list: unknown[], below: readonly string[], value: unknown): void {
  const [key] = below;
  if (key === undefined) {
    list.push(value);
    return;
  }
  const last = list.at(-1);
  if (isRecord(last) && !holds(last, below)) {
    assign(last, below, value);
    return;
  }
  const element = emptyRecord();
  assign(element, below, value);
  list.push(element);
}

function holds(record: Nested, parts: readonly string[]): boolean {
  const [name = '', ...rest] = parts;
  if (!Object.hasOwn(record, name)) return false;
  if (rest.length === 0) return true;
  const inner = record[name];
  if (rest[0] === '') return false;
  return isRecord(inner) && holds(inner, rest);
}

// Null prototypes: a parameter called `__proto__` or `constructor` is then a name like any other.
function emptyRecord(): Nested {
  return Object.create(null) as Nested;
}

/** Adds one decoded pair to a map, by the bracket rules. */
export function assignPair(target: Nested, key: string, value: unknown): void {
  if (key.includes('\0') || (typeof value === 'string' && value.includes('\0'))) throw new UnreadableText();
  if (key.includes('[')) assign(target, splitKey(key), value);
  else target[key] = value;
}

/** Reads `a=1&b[]=2&c[k]=3` by the rules of Rack: later scalars win, brackets nest. */
export function parseNested(query: string): Nested {
  const result = emptyRecord();
  if (query === '') return result;
  const pairs = query.split('&');
  if (pairs.length > maxPairs) throw new ParameterError('Too many total parameters');
  for (const pair of pairs) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const key = decode(equals < 0 ? pair : pair.slice(0, equals));
    assignPair(result, key, equals < 0 ? null : decode(pair.slice(equals + 1)));
  }
  return result;
}

/** Refuses a JSON body that is absurdly deep or wide, before any schema walks it. */
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
