import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';

/** What of a request is too long to be held, and lies on disk until it is removed. */
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

/** A file of a multipart request; removed when the request is over. */
export class UploadedFile extends Spooled {
  readonly filename: string;
  readonly contentType: string;

  constructor(filename: string, contentType: string, path: string, size: number) {
    super(path, size);
    this.filename = filename;
    this.contentType = contentType;
  }
}

/** A long text of a JSON document, as UTF-8; removed by whoever read the request. */
export class SpooledText extends Spooled {}
