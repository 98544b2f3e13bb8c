import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { crc32, createDeflateRaw, deflateRaw } from 'node:zlib';
import type { TarEntry } from './tar.ts';
import { centralHeader, dataDescriptor, endOfArchive, localHeader, type Sizes, type ZipMember } from './zip-records.ts';

const BUFFERED_BYTES = 256 * 1024;
// Leaves room for the overhead that deflate adds to incompressible data.
const LARGE_BYTES = 0xf000_0000;
const deflate = promisify(deflateRaw);
const TYPE_BITS = { directory: 0o040000, symlink: 0o120000, file: 0o100000 } as const;

/**
 * Writes tar entries as a zip archive. Small files have their sizes in front; larger ones are streamed and have them
 * behind. The output depends only on the entries.
 */
export async function* writeZip(entries: AsyncIterable<TarEntry>): AsyncGenerator<Buffer, void> {
  const directory: Buffer[] = [];
  let comment = '';
  let offset = 0;
  for await (const entry of entries) {
    if (entry.kind === 'global') comment = entry.pax.get('comment')?.toString('latin1') ?? '';
    if (entry.kind === 'global' || entry.kind === 'other') continue;
    const member = memberOf(entry, entry.kind);
    const { sizes, bytes } = yield* member.streamed ? streamMember(member, entry) : bufferMember(member, entry);
    directory.push(centralHeader(member, sizes, offset));
    offset += bytes;
  }
  yield* directory;
  const size = directory.reduce((sum, header) => sum + header.length, 0);
  yield endOfArchive({ entries: directory.length, size, offset, comment });
}

interface Written {
  readonly sizes: Sizes;
  readonly bytes: number;
}

function memberOf(entry: TarEntry, kind: keyof typeof TYPE_BITS): ZipMember {
  return {
    name: Buffer.from(entry.path),
    mode: TYPE_BITS[kind] | (entry.mode & 0o7777),
    mtime: entry.mtime,
    method: kind === 'file' && entry.size > 0 ? 'deflate' : 'store',
    streamed: entry.size > BUFFERED_BYTES,
    large: entry.size >= LARGE_BYTES,
  };
}

async function* bufferMember(member: ZipMember, entry: TarEntry): AsyncGenerator<Buffer, Written> {
  const link = entry.kind === 'symlink';
  const content = link ? Buffer.from(entry.linkPath) : await buffer(Readable.from(entry.content));
  const packed = member.method === 'deflate' ? await deflate(content) : content;
  const sizes = { crc: crc32(content), compressed: packed.length, uncompressed: content.length };
  const header = localHeader(member, sizes);
  yield header;
  yield packed;
  return { sizes, bytes: header.length + packed.length };
}

async function* streamMember(member: ZipMember, entry: TarEntry): AsyncGenerator<Buffer, Written> {
  const header = localHeader(member, undefined);
  yield header;
  let crc = 0;
  let uncompressed = 0;
  let compressed = 0;
  const counted = async function* () {
    for await (const chunk of entry.content) {
      crc = crc32(chunk, crc);
      uncompressed += chunk.length;
      yield chunk;
    }
  };
  for await (const chunk of Readable.from(counted()).compose(createDeflateRaw())) {
    compressed += (chunk as Buffer).length;
    yield chunk as Buffer;
  }
  const sizes = { crc, compressed, uncompressed };
  const descriptor = dataDescriptor(member, sizes);
  yield descriptor;
  return { sizes, bytes: header.length + compressed + descriptor.length };
}
