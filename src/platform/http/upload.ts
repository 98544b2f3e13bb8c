import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';

/** A file of a multipart request, spooled to disk; removed when the request is over. */
export class UploadedFile {
  readonly filename: string;
  readonly contentType: string;
  readonly path: string;
  readonly size: number;

  constructor(filename: string, contentType: string, path: string, size: number) {
    this.filename = filename;
    this.contentType = contentType;
    this.path = path;
    this.size = size;
  }

  open(): Readable {
    return createReadStream(this.path);
  }

  async remove(): Promise<void> {
    await rm(this.path, { force: true });
  }
}

/** A text of a request that is too long to be held, on disk as UTF-8; removed by whoever read the request. */
export class SpooledText {
  readonly path: string;
  /** In bytes. */
  readonly size: number;

  constructor(path: string, size: number) {
    this.path = path;
    this.size = size;
  }

  open(): Readable {
    return createReadStream(this.path);
  }

  async remove(): Promise<void> {
    await rm(this.path, { force: true });
  }
}
