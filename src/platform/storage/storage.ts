import type { Readable } from 'node:stream';

/** What a stored file is known by. */
export interface StoredFile {
  readonly size: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** What the caller knows of a file beforehand; a file that turns out otherwise is not stored. */
export interface Expected {
  expectedSize?: number;
  /** Hexadecimal. */
  expectedSha256?: string;
  /** The most bytes to take. */
  maxSize?: number;
}

/** Bytes from `start` to `end`, both included, from zero; without an end, to the last one. */
export interface ByteRange {
  start: number;
  end?: number;
}

/** A file being read; a stream that is not read to its end must be destroyed. */
export interface OpenFile {
  readonly stream: Readable;
  /** Of the whole file, whatever the range. */
  readonly size: number;
}

/**
 * Files by key. A key is lower-case segments joined by slashes (see `checkKey`), made from ids and digests, never from
 * names that people choose; no key may be the folder of another. Keep the key in a row, delete the row first and
 * the file after it: the storage is never listed to decide what exists.
 */
export interface Storage {
  /** Stores the whole stream or nothing; replaces a file of that key at once. Durable when it resolves. */
  put(key: string, body: AsyncIterable<Uint8Array>, expected?: Expected): Promise<StoredFile>;
  /** Throws `FileMissing`, or `RangeUnsatisfiable` for a range outside the file. */
  get(key: string, range?: ByteRange): Promise<OpenFile>;
  stat(key: string): Promise<{ size: number } | undefined>;
  /** Fine when it is already gone. */
  delete(key: string): Promise<void>;
}

/** There is no file of that key. */
export class FileMissing extends Error {
  override readonly name = 'FileMissing';
}

/** The file ended up other than expected; it was not stored. */
export class FileMismatch extends Error {
  override readonly name = 'FileMismatch';
}

/** The file is larger than allowed; it was not stored. */
export class FileTooLarge extends Error {
  override readonly name = 'FileTooLarge';
}

/** The storage does not answer, or not as it should: worth another try. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
}

/** The range lies outside the file: a 416 with the size. */
export class RangeUnsatisfiable extends Error {
  override readonly name = 'RangeUnsatisfiable';
  readonly size: number;

  constructor(size: number) {
    super(`the range lies outside a file of ${size} bytes`);
    this.size = size;
  }
}
