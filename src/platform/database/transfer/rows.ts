import type { Row, Value } from './shapes.ts';

/** Encodes a row as one line of JSON. Binary values are the only objects: JSON columns are stored as text. */
export function writeRow(row: Row): string {
  return JSON.stringify(row.map((value) => (value instanceof Uint8Array ? { base64: base64(value) } : value)));
}

/** Decodes a row; throws on anything that `writeRow` would not have written. */
export function readRow(line: string): Row {
  const values: unknown = JSON.parse(line);
  if (!Array.isArray(values)) throw new TypeError('a row must be a list');
  return values.map(readValue);
}

function readValue(value: unknown): Value {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value;
  if (typeof value === 'object' && 'base64' in value && typeof value.base64 === 'string') {
    return Buffer.from(value.base64, 'base64');
  }
  throw new TypeError(`not a column value: ${JSON.stringify(value).slice(0, 100)}`);
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
