/** A value in Ruby's `Marshal` format, without the two-byte format header. */
export type Dumped = Buffer;

const bytes = (...values: number[]) => Buffer.from(values);
const tagged = (tag: string, ...parts: Buffer[]) => Buffer.concat([Buffer.from(tag, 'latin1'), ...parts]);

/** Encodes a length: one byte for small values, otherwise the number of bytes followed by the bytes. */
function length(value: number): Buffer {
  if (value === 0) return bytes(0);
  if (value < 123) return bytes(value + 5);
  const little = Buffer.alloc(4);
  little.writeUInt32LE(value);
  const size = value < 0x100 ? 1 : value < 0x10000 ? 2 : value < 0x1000000 ? 3 : 4;
  return Buffer.concat([bytes(size), little.subarray(0, size)]);
}

const raw = (content: Buffer) => Buffer.concat([length(content.length), content]);

export const nil: Dumped = Buffer.from('0');
export const yes: Dumped = Buffer.from('T');
export const no: Dumped = Buffer.from('F');

/** A non-negative integer. */
export const integer = (value: number): Dumped => tagged('i', length(value));

/** A symbol, always written in full. Without back-references, lists can be assembled from parts. */
export const symbol = (name: string): Dumped => tagged(':', raw(Buffer.from(name)));

const utf8 = Buffer.concat([length(1), symbol('E'), yes]);

export const text = (value: string): Dumped => Buffer.concat([tagged('I"', raw(Buffer.from(value))), utf8]);

export const list = (items: readonly Dumped[]): Dumped => tagged('[', length(items.length), ...items);

export const hash = (entries: readonly (readonly [key: Dumped, value: Dumped])[]): Dumped =>
  tagged('{', length(entries.length), ...entries.flat());

/** An object with its instance variables, by name without `@`. */
export function object(of: string, variables: Readonly<Record<string, Dumped>>): Dumped {
  const entries = Object.entries(variables).flatMap(([name, value]) => [symbol(`@${name}`), value]);
  return tagged('o', symbol(of), length(entries.length / 2), ...entries);
}

/** An object serialized by `marshal_dump`. */
export const valued = (of: string, value: Dumped): Dumped => tagged('U', symbol(of), value);

/** An object serialized by `_dump`. */
export const packed = (of: string, content: Buffer): Dumped => tagged('u', symbol(of), raw(content));

/** A complete document. */
export const document = (value: Dumped): Buffer => Buffer.concat([bytes(4, 8), value]);

/** The start of a document that consists of a list; its items follow. */
export const listDocument = (items: number): Buffer => document(tagged('[', length(items)));
