import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';

/** A part of a request that is too long for memory, and is on disk until it is removed. */
abstract class Spooled {
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

/** A file of a multipart request; removed when the request ends. */
export class UploadedFile extends Spooled {
  readonly filename: string;
  readonly contentType: string;

  constructor(filename: string, contentType: string, path: string, size: number) {
    super(path, size);
    this.filename = filename;
    this.contentType = contentType;
  }
}

/** A long string of a JSON document, as UTF-8; removed by whoever read the request. */
export class SpooledText extends Spooled {}
