import type { Readable } from 'node:stream';

/** Size and hash of a stored file. */
export interface StoredFile {
  readonly size: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** What the caller knows about a file in advance; a file that does not match is not stored. */
export interface ExpectedFile {
  expectedSize?: number;
  /** Hexadecimal. */
  expectedSha256?: string;
  /** Maximum number of bytes. */
  maxSize?: number;
}

/** Bytes from `start` to `end`, both inclusive and zero-based; without an end, to the last byte. */
export interface ByteRange {
  start: number;
  end?: number;
}

/** A file being read; a stream that is not read to its end must be destroyed. */
export interface OpenFile {
  readonly stream: Readable;
  /** Of the whole file, regardless of the range. */
  readonly size: number;
}

/**
 * Stores files by key. A key consists of lower-case segments joined by slashes (see `checkKey`), built from ids and
 * digests, never from names chosen by users; no key may be a folder of another. Keep the key in a row, and delete the
 * row before the file: the storage is never listed to find out what exists.
 */
export interface Storage {
  /** Stores the whole stream or nothing; atomically replaces a file with the same key. Durable once it resolves. */
  put(key: string, body: AsyncIterable<Uint8Array>, expected?: ExpectedFile): Promise<StoredFile>;
  /** Throws `FileMissing`, or `RangeUnsatisfiable` for a range outside the file. */
  get(key: string, range?: ByteRange): Promise<OpenFile>;
  stat(key: string): Promise<{ size: number } | undefined>;
  /** Does nothing if the file does not exist. */
  delete(key: string): Promise<void>;
}

/** There is no file with this key. */
export class FileMissing extends Error {
  override readonly name = 'FileMissing';
}

/** The file does not match what was expected; it was not stored. */
export class FileMismatch extends Error {
  override readonly name = 'FileMismatch';
}

/** The file is larger than allowed; it was not stored. */
export class FileTooLarge extends Error {
  override readonly name = 'FileTooLarge';
}

/** The storage does not respond, or not as expected; the operation can be retried. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
}

/** The range is outside the file; reported as 416 with the size. */
export class RangeUnsatisfiable extends Error {
  override readonly name = 'RangeUnsatisfiable';
  readonly size: number;

  constructor(size: number) {
    super(`the range is outside a file of ${size} bytes`);
    this.size = size;
  }
}
