import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflate, deflateSync } from 'node:zlib';
import { Pace } from '../../concurrency.ts';
import type { NewObject } from '../objects/loose-object.ts';
import type { ObjectType } from '../objects/object.ts';

const TYPE_NUMBERS: Record<ObjectType, number> = { commit: 1, tree: 2, blob: 3, tag: 4 };
const deflateAsync = promisify(deflate);
// The round trip to another thread takes longer than compressing a short object.
const SHORT_BYTES = 4096;

/** Streams a pack with these objects undeltified: header, entries, checksum. */
export async function* packStream(objects: readonly NewObject[]): AsyncGenerator<Buffer> {
  const checksum = createHash('sha1');
  const head = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  head.writeUInt32BE(objects.length, 8);
  checksum.update(head);
  yield head;
  const pace = new Pace();
  for (const object of objects) {
    await pace.turn();
    const { data } = object;
    const packed = data.length <= SHORT_BYTES ? deflateSync(data) : await deflateAsync(data);
    const entry = Buffer.concat([entryHeader(object), packed]);
    checksum.update(entry);
    yield entry;
  }
  yield checksum.digest();
}

/** Encodes type and size of a pack entry: four bits of the size beside the type, then seven per byte. */
export function entryHeader(object: Pick<NewObject, 'type' | 'data'>): Buffer {
  const bytes: number[] = [];
  let rest = object.data.length;
  let byte = (TYPE_NUMBERS[object.type] << 4) | (rest & 0x0f);
  rest = Math.floor(rest / 16);
  while (rest > 0) {
    bytes.push(byte | 0x80);
    byte = rest & 0x7f;
    rest = Math.floor(rest / 128);
  }
  bytes.push(byte);
  return Buffer.from(bytes);
}
