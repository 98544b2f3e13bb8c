import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import type { FastifyRequest } from 'fastify';
import { HttpError, ParameterError, TooLarge } from '../errors.ts';
import { type Nested, NestedParams } from '../parameters/nested-params.ts';
import { UploadedFile } from './upload.ts';

export interface MultipartOptions {
  /** Where uploaded files are kept until their handler takes them. */
  readonly spool: string;
  /** The maximum size of a file. */
  readonly fileLimit: number;
}

// Fields are kept in memory, files are not.
const allFieldsLimit = 32 * 1024 * 1024;

/** Is the body a multipart form? */
export function isMultipart(request: FastifyRequest): boolean {
  return /^multipart\/form-data\b/i.test(request.headers['content-type'] ?? '');
}

/** Reads a multipart body: fields by the bracket rules, files spooled to disk. */
export async function readMultipart(
  request: FastifyRequest,
  options: MultipartOptions,
  body = request.body as Readable,
): Promise<[Nested, UploadedFile[]]> {
  const form = new Form(options);
  try {
    const parser = form.parser(request.headers['content-type'] ?? '');
    await pipeline(body, parser);
    return await form.finished();
  } catch (error) {
    await form.discard();
    throw asRefusal(error);
  }
}

/** A form that is being received. */
class Form {
  readonly #options: MultipartOptions;
  readonly #fields = new NestedParams();
  readonly #arriving: Readable[] = [];
  readonly #spooling: Promise<UploadedFile>[] = [];
  readonly #paths: string[] = [];
  #fieldsSize = 0;

  constructor(options: MultipartOptions) {
    this.#options = options;
  }

  parser(contentType: string): BusboyInstance {
    const limits = {
      fileSize: this.#options.fileLimit,
      fieldSize: 10 * 1024 * 1024,
      files: 10,
      fields: 1000,
      parts: 1010,
    };
    const parser = new Busboy({ headers: { 'content-type': contentType }, limits });
    const tooLarge = () => parser.destroy(new TooLarge());
    parser.on('field', (name, value, nameCut, valueCut) => {
      this.#fieldsSize += name.length + value.length;
      if (nameCut || valueCut || this.#fieldsSize > allFieldsLimit) return tooLarge();
      this.#assign(parser, name, value);
    });
    parser.on('file', (name, stream, filename, _encoding, type) => {
      this.#arriving.push(stream);
      const spooled = this.#spool(stream, filename, type);
      this.#spooling.push(spooled);
      spooled.then(
        (file) => (stream.truncated ? tooLarge() : this.#assign(parser, name, file)),
        (error: Error) => parser.destroy(error),
      );
    });
    return parser.on('partsLimit', tooLarge).on('filesLimit', tooLarge).on('fieldsLimit', tooLarge);
  }

  async finished(): Promise<[Nested, UploadedFile[]]> {
    const files = await Promise.all(this.#spooling);
    if (this.#arriving.some((stream) => 'truncated' in stream && stream.truncated)) throw new TooLarge();
    return [this.#fields.value, files];
  }

  /** Stops receiving and removes what has arrived. */
  async discard(): Promise<void> {
    for (const stream of this.#arriving) stream.destroy();
    await Promise.allSettled(this.#spooling);
    await Promise.all(this.#paths.map((path) => new UploadedFile('', '', path, 0).remove()));
  }

  #assign(parser: BusboyInstance, name: string, value: unknown): void {
    try {
      this.#fields.add(name, value);
    } catch (error) {
      parser.destroy(error as Error);
    }
  }

  async #spool(stream: Readable, filename: string, type: string): Promise<UploadedFile> {
    const path = join(this.#options.spool, randomUUID());
    this.#paths.push(path);
    const sink = createWriteStream(path, { mode: 0o600 });
    await pipeline(stream, sink);
    return new UploadedFile(filename, type, path, sink.bytesWritten);
  }
}

function asRefusal(error: unknown): unknown {
  if (error instanceof HttpError) return error;
  const { code } = error as { code?: string };
  // A server error: the disk, not the request.
  if (code === 'ENOSPC' || code === 'EACCES' || code === 'ENOENT' || code === 'EIO' || code === 'EROFS') return error;
  // Busboy's own errors (a missing boundary, an unexpected end) carry no code: the request is malformed.
  return new ParameterError('Invalid multipart body');
}
