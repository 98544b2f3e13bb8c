import { Readable } from 'node:stream';
import * as yauzl from 'yauzl';
import type { Storage } from '../../../platform/storage/storage.ts';

/** Bytes read from the storage at a time: the central directory is otherwise requested in pieces of a few bytes. */
const blockSize = 64 * 1024;

/** Random access to a file in the storage. */
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
      if (count === 0) throw new Error('the archive is truncated');
      copied += count;
    }
  }

  async #blockAt(position: number) {
    const current = this.#block;
    if (current && position >= current.start && position < current.start + current.bytes.length) return current;
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
  /** Path as in the archive. Folders end in `/`. */
  readonly path: string;
  /** Byte offset of its record in the central directory. */
  readonly cursor: number;
  readonly size: number;
  readonly zipped: number;
  readonly crc: number;
  /** Unix permission bits and file type; 0 when the archive does not state them. */
  readonly mode: number;
  readonly modified: number;
  /** Whether the content can be read: not a folder, a link or encrypted. */
  readonly plain: boolean;
  /** Opens the decompressed content; undefined for folders, links and encrypted entries. */
  open(): Promise<Readable | undefined>;
}

/** An open ZIP archive. Entries are read one at a time; nothing is held in memory. */
export interface Archive {
  readonly entryCount: number;
  entries(): AsyncGenerator<ArchiveEntry>;
  /**
   * Only the entries at these positions of the central directory. May be called repeatedly, but not after `entries`.
   */
  entriesAt(cursors: readonly number[]): AsyncGenerator<ArchiveEntry>;
  close(): void;
}

const options = { lazyEntries: true, autoClose: false, decodeStrings: false, validateEntrySizes: true } as const;

/** Opens a ZIP file on disk; throws when it is not a valid archive. */
export async function openArchiveFile(path: string): Promise<Archive> {
  return archiveOf(await yauzl.openPromise(path, options));
}

/** Opens a ZIP file in the storage; throws when it is not a valid archive. */
export async function openStoredArchive(storage: Storage, key: string, size: number): Promise<Archive> {
  return archiveOf(await yauzl.fromRandomAccessReaderPromise(new StoredReader(storage, key, size), size, options));
}

function archiveOf(zip: yauzl.ZipFile): Archive {
  // yauzl allows a single iterator per archive.
  let iterator: ReturnType<yauzl.ZipFile['eachEntry']> | undefined;
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
      iterator ??= zip.eachEntry();
      for (const cursor of cursors) {
        Object.assign(zip, { readEntryCursor: cursor, entriesRead: 0 });
        const { value: entry } = await iterator.next();
        const path = entry && pathOf(entry);
        if (path !== undefined) yield describe(zip, entry, path, cursor);
      }
    },
  };
}

/**
 * The path of an entry; undefined for unsafe paths (absolute, with `.` or `..` segments, NUL or invalid UTF-8). They
 * are never shown or extracted.
 */
function pathOf(entry: yauzl.Entry): string | undefined {
  const path = Buffer.from(entry.fileNameRaw).toString('utf8');
  const segments = path.replace(/\/$/, '').split('/');
  const unsafe = path.includes('\0') || path.includes('\ufffd') || segments.some((part) => /^\.{0,2}$/.test(part));
  return unsafe ? undefined : path;
}

const fileTypes = { mask: 0o170000, link: 0o120000 };

function describe(zip: yauzl.ZipFile, entry: yauzl.Entry, path: string, cursor: number): ArchiveEntry {
  const mode = entry.externalFileAttributes >>> 16;
  const regular = !path.endsWith('/') && (mode & fileTypes.mask) !== fileTypes.link;
  const plain = regular && !entry.isEncrypted() && entry.canDecodeFileData();
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
