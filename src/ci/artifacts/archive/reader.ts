import { Readable } from 'node:stream';
import * as yauzl from 'yauzl';
import type { Storage } from '../../../platform/storage/storage.ts';

/** Read at once: the directory of an archive is asked for in pieces of a few bytes. */
const blockSize = 64 * 1024;

/** A stored file, read where an archive asks for it. */
class StoredReader extends yauzl.RandomAccessReader {
  readonly #storage: Storage;
  readonly #key: string;
  readonly #size: number;
  #block: { readonly start: number; readonly bytes: Buffer } | undefined;

  constructor(storage: Storage, key: string, size: number) {
    super();
    this.#storage = storage;
    this.#key = key;
    this.#size = size;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#range(start, end), { objectMode: false });
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    done: (error: Error | null) => void,
  ): void {
    this.#fill(buffer, offset, length, position).then(() => done(null), done);
  }

  async #fill(buffer: Buffer, offset: number, length: number, position: number): Promise<void> {
    let copied = 0;
    while (copied < length) {
      const { start, bytes } = await this.#blockAt(position + copied);
      const from = position + copied - start;
      const count = bytes.copy(buffer, offset + copied, from, from + length - copied);
      if (count === 0) throw new Error('the archive ends too early');
      copied += count;
    }
  }

  async #blockAt(position: number) {
    const known = this.#block;
    if (known && position >= known.start && position < known.start + known.bytes.length) return known;
    const start = Math.floor(position / blockSize) * blockSize;
    const chunks: Buffer[] = [];
    for await (const chunk of this.#range(start, start + blockSize)) chunks.push(chunk);
    const block = { start, bytes: Buffer.concat(chunks) };
    this.#block = block;
    return block;
  }

  async *#range(start: number, end: number): AsyncGenerator<Buffer> {
    if (start >= this.#size || end <= start) return;
    const { stream } = await this.#storage.get(this.#key, { start, end: Math.min(end, this.#size) - 1 });
    yield* stream as AsyncIterable<Buffer>;
  }
}

export interface ArchiveEntry {
  /** As it stands in the archive, with `/` at its end where it is a folder. */
  readonly path: string;
  /** Where its record begins in the directory, in bytes. */
  readonly cursor: number;
  readonly size: number;
  readonly zipped: number;
  readonly crc: number;
  /** Permission bits and kind, as Unix has them; 0 where the archive does not say. */
  readonly mode: number;
  readonly modified: number;
  /** A file whose bytes can be read: no folder, no link, not encrypted. */
  readonly plain: boolean;
  /** Its bytes, unpacked. A folder, a link and what is encrypted have none. */
  open(): Promise<Readable | undefined>;
}

/** An archive that can be read at all; its entries come one after the other and nothing of it is held. */
export interface Archive {
  readonly entryCount: number;
  entries(): AsyncGenerator<ArchiveEntry>;
  /** The entries whose records in the directory begin at these bytes, and no others; as often as wanted, but not after `entries`. */
  entriesAt(cursors: readonly number[]): AsyncGenerator<ArchiveEntry>;
  close(): void;
}

const options = { lazyEntries: true, autoClose: false, decodeStrings: false, validateEntrySizes: true } as const;

/** Opens a file on disk as an archive; throws where it is none. */
export async function openArchiveFile(path: string): Promise<Archive> {
  return archiveOf(await yauzl.openPromise(path, options));
}

/** Opens a stored file as an archive; throws where it is none. */
export async function openStoredArchive(storage: Storage, key: string, size: number): Promise<Archive> {
  return archiveOf(await yauzl.fromRandomAccessReaderPromise(new StoredReader(storage, key, size), size, options));
}

function archiveOf(zip: yauzl.ZipFile): Archive {
  // An archive gives one iterator alone.
  let each: ReturnType<yauzl.ZipFile['eachEntry']> | undefined;
  return {
    entryCount: zip.entryCount,
    close: () => zip.close(),
    async *entries() {
      let cursor = Number(zip.readEntryCursor);
      for await (const entry of zip.eachEntry()) {
        const path = pathOf(entry);
        if (path !== undefined) yield describe(zip, entry, path, cursor);
        cursor = Number(zip.readEntryCursor);
      }
    },
    async *entriesAt(cursors) {
      each ??= zip.eachEntry();
      for (const cursor of cursors) {
        Object.assign(zip, { readEntryCursor: cursor, entriesRead: 0 });
        const { value: entry } = await each.next();
        const path = entry && pathOf(entry);
        if (path !== undefined) yield describe(zip, entry, path, cursor);
      }
    },
  };
}

/** The path of an entry; undefined for what must not stand in one: nothing is ever unpacked by these names, nor shown. */
function pathOf(entry: yauzl.Entry): string | undefined {
  const path = Buffer.from(entry.fileNameRaw).toString('utf8');
  const segments = path.replace(/\/$/, '').split('/');
  const odd = path.includes('\0') || path.includes('\ufffd') || segments.some((part) => /^\.{0,2}$/.test(part));
  return odd ? undefined : path;
}

const kinds = { mask: 0o170000, link: 0o120000 };

function describe(zip: yauzl.ZipFile, entry: yauzl.Entry, path: string, cursor: number): ArchiveEntry {
  const mode = entry.externalFileAttributes >>> 16;
  const named = !path.endsWith('/') && (mode & kinds.mask) !== kinds.link;
  const plain = named && !entry.isEncrypted() && entry.canDecodeFileData();
  return {
    path,
    cursor,
    size: entry.uncompressedSize,
    zipped: entry.compressedSize,
    crc: entry.crc32,
    mode,
    modified: Math.floor(entry.getLastModDate().getTime() / 1000),
    plain,
    open: async () => (plain ? zip.openReadStreamPromise(entry) : undefined),
  };
}
