import { ByteReader } from '../objects/byte-reader.ts';
import { decodeText } from '../objects/text.ts';
import { BLOCK, MAX_OCTAL_SIZE, padding, paxRecord, writeChecksum } from './tar-header.ts';

/**
 * One entry of a tar stream. Its content must be read before the next entry is requested; otherwise it is discarded.
 */
export interface TarEntry {
  /** `global` entries hold records about the whole archive, such as the commit id. */
  readonly kind: 'file' | 'directory' | 'symlink' | 'global' | 'other';
  readonly path: string;
  readonly linkPath: string;
  readonly mode: number;
  /** Seconds. */
  readonly mtime: number;
  readonly size: number;
  /** The header blocks in front of the content, as read. */
  readonly header: Buffer;
  /** The pax records of this entry. */
  readonly pax: ReadonlyMap<string, Buffer>;
  readonly content: AsyncIterable<Buffer> | Iterable<Buffer>;
}

/** tar pads its files to whole records of twenty blocks. */
const RECORD = 20 * BLOCK;
// git stores ids and long paths in pax records; anything larger was not written by git.
const MAX_PAX_BYTES = 1024 * 1024;
const KINDS: Readonly<Record<string, TarEntry['kind']>> = {
  '0': 'file',
  '\0': 'file',
  '2': 'symlink',
  '5': 'directory',
  g: 'global',
};

/**
 * Reads the entries of a tar stream: ustar with pax headers, as `git archive` writes it, or GNU tar with long names.
 */
export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<TarEntry, void> {
  const reader = new ByteReader(source);
  try {
    let extended: Buffer = Buffer.alloc(0);
    let pax = new Map<string, Buffer>();
    for (;;) {
      const block = await reader.read(BLOCK);
      if (block.every((byte) => byte === 0)) break;
      const type = String.fromCharCode(block[156] ?? 0);
      if (type === 'x') {
        const body = await readRecords(reader, readOctal(block, 124, 12));
        extended = Buffer.concat([block, body]);
        pax = parseRecords(body);
        continue;
      }
      if (type === 'L') {
        const name = await readRecords(reader, readOctal(block, 124, 12));
        extended = Buffer.concat([block, name]);
        pax = new Map([['path', text(name, 0, name.length)]]);
        continue;
      }
      const size = Number(pax.get('size')?.toString('latin1') ?? readOctal(block, 124, 12));
      const records = type === 'g' ? await readRecords(reader, size) : undefined;
      yield {
        kind: KINDS[type] ?? 'other',
        path: decodeText(pax.get('path') ?? ustarPath(block)),
        linkPath: decodeText(pax.get('linkpath') ?? text(block, 157, 100)),
        mode: readOctal(block, 100, 8),
        mtime: readOctal(block, 136, 12),
        size,
        header: Buffer.concat([extended, block]),
        pax: records ? parseRecords(records) : pax,
        content: records ? [records.subarray(0, size)] : reader.stream(size),
      };
      if (!records) {
        await reader.finish();
        await reader.read(padding(size));
      }
      extended = Buffer.alloc(0);
      pax = new Map();
    }
    await reader.drain();
  } finally {
    await reader.close();
  }
}

/** Writes entries back as a tar stream with their original headers; only the size may differ. */
export async function* writeTar(entries: AsyncIterable<TarEntry> | Iterable<TarEntry>): AsyncGenerator<Buffer, void> {
  let written = 0;
  for await (const entry of entries) {
    const header = withSize(entry.header, entry.size);
    yield header;
    yield* entry.content;
    yield Buffer.alloc(padding(entry.size));
    written += header.length + entry.size + padding(entry.size);
  }
  const end = written + 2 * BLOCK;
  yield Buffer.alloc(2 * BLOCK + ((RECORD - (end % RECORD)) % RECORD));
}

function withSize(header: Buffer, size: number): Buffer {
  const block = header.subarray(header.length - BLOCK);
  if (readOctal(block, 124, 12) === size) return header;
  const copy = Buffer.from(block);
  copy.write(`${Math.min(size, MAX_OCTAL_SIZE).toString(8).padStart(11, '0')}\0`, 124, 'latin1');
  writeChecksum(copy);
  if (size <= MAX_OCTAL_SIZE) return Buffer.concat([header.subarray(0, header.length - BLOCK), copy]);
  return Buffer.concat([extendWithSize(header.subarray(0, header.length - BLOCK), copy, size), copy]);
}

/** Returns a pax header for a size that twelve octal digits cannot hold, appended to the existing records. */
function extendWithSize(extended: Buffer, block: Buffer, size: number): Buffer {
  const known = extended.length > 0 ? readOctal(extended, 124, 12) : 0;
  const record = paxRecord('size', Buffer.from(String(size)));
  const body = Buffer.concat([extended.subarray(BLOCK, BLOCK + known), record]);
  const head = Buffer.from(extended.length > 0 ? extended.subarray(0, BLOCK) : block);
  head[156] = 'x'.charCodeAt(0);
  head.write(`${body.length.toString(8).padStart(11, '0')}\0`, 124, 'latin1');
  writeChecksum(head);
  return Buffer.concat([head, body, Buffer.alloc(padding(body.length))]);
}

async function readRecords(reader: ByteReader, size: number): Promise<Buffer> {
  if (!(size <= MAX_PAX_BYTES)) throw new Error('tar header too large');
  return reader.read(size + padding(size));
}

function parseRecords(body: Buffer): Map<string, Buffer> {
  const records = new Map<string, Buffer>();
  for (let at = 0; at < body.length; ) {
    const space = body.indexOf(0x20, at);
    const length = space < 0 ? 0 : Number(body.toString('latin1', at, space));
    const equals = body.indexOf(0x3d, at);
    if (!(length > 0) || equals < 0) break;
    records.set(body.toString('latin1', space + 1, equals), body.subarray(equals + 1, at + length - 1));
    at += length;
  }
  return records;
}

function ustarPath(block: Buffer): Buffer {
  const prefix = text(block, 345, 155);
  const name = text(block, 0, 100);
  return prefix.length > 0 ? Buffer.concat([prefix, Buffer.from('/'), name]) : name;
}

function text(block: Buffer, offset: number, length: number): Buffer {
  const field = block.subarray(offset, offset + length);
  const nul = field.indexOf(0);
  return nul < 0 ? field : field.subarray(0, nul);
}

function readOctal(block: Buffer, offset: number, length: number): number {
  return Number.parseInt(text(block, offset, length).toString('latin1').trim() || '0', 8);
}
