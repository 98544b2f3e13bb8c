import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HttpError, ParameterError, TooLarge } from './errors.ts';
import { assignPair, checkJsonShape, type Nested, parseNested } from './nested-params.ts';
import { UploadedFile } from './upload.ts';

export interface BodyOptions {
  /** Where uploaded files wait until their handler has taken them. */
  readonly spool: string;
  /** The largest file of a multipart request. */
  readonly fileLimit: number;
}

function unsupported(type: string): HttpError {
  return new HttpError(415, { error: `The provided content-type '${type}' is not supported.` });
}

function parseJson(text: string): Nested {
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ParameterError('Invalid JSON format');
  }
  checkJsonShape(value);
  // A body that is no object has no parameters to give.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Nested) : {};
}

const readers: Readonly<Record<string, (text: string) => Nested>> = {
  'application/json': parseJson,
  'application/x-www-form-urlencoded': parseNested,
};

function keepsStream(request: FastifyRequest): boolean {
  return request.routeOptions.config.rawBody === true;
}

/** JSON and forms are read as text, other types refused; a route that takes the stream gets it untouched. */
export async function readBodies(app: FastifyInstance, options: BodyOptions): Promise<void> {
  await mkdir(options.spool, { recursive: true });
  app.removeAllContentTypeParsers();
  await app.register(multipart, {
    limits: { fileSize: options.fileLimit, fieldSize: 10 * 1024 * 1024, files: 10, fields: 1000, parts: 1010 },
  });

  app.addHook('preParsing', (request, _reply, payload, done) => {
    if (request.headers['content-encoding'] !== 'gzip' || keepsStream(request)) return done(null, payload);
    const inflated = Object.assign(payload.pipe(createGunzip()), { receivedEncodedLength: 0 });
    payload.on('data', (chunk: Buffer) => {
      inflated.receivedEncodedLength += chunk.length;
    });
    done(null, inflated);
  });

  for (const [type, reader] of Object.entries(readers)) {
    app.addContentTypeParser(type, async (request: FastifyRequest, payload: NodeJS.ReadableStream) =>
      keepsStream(request) ? payload : reader(await readText(request, payload)),
    );
  }
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: NodeJS.ReadableStream) => {
    if (keepsStream(request)) return payload;
    const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim() ?? '';
    if ((await readText(request, payload)) === '') return {};
    throw unsupported(type);
  });
}

async function readText(request: FastifyRequest, payload: NodeJS.ReadableStream): Promise<string> {
  const limit = request.routeOptions.bodyLimit;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of payload as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw new TooLarge();
    chunks.push(chunk);
  }
  const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new HttpError(400, 'Bad Request', { 'content-type': 'text/plain' });
  }
}

/** Reads a multipart body: fields by the bracket rules, files spooled to disk. */
export async function readMultipart(request: FastifyRequest, spool: string): Promise<[Nested, UploadedFile[]]> {
  const fields: Nested = {};
  const files: UploadedFile[] = [];
  try {
    for await (const part of request.parts()) {
      if (part.type === 'field') {
        if (part.valueTruncated || part.fieldnameTruncated) throw new TooLarge();
        assignPair(fields, part.fieldname, part.value);
        continue;
      }
      const path = join(spool, crypto.randomUUID());
      const sink = createWriteStream(path, { mode: 0o600 });
      const file = new UploadedFile(part.filename, part.mimetype, path, 0);
      files.push(file);
      await pipeline(part.file, sink);
      if (part.file.truncated) throw new TooLarge();
      const spooled = new UploadedFile(part.filename, part.mimetype, path, sink.bytesWritten);
      files[files.length - 1] = spooled;
      assignPair(fields, part.fieldname, spooled);
    }
  } catch (error) {
    await Promise.all(files.map((file) => file.remove()));
    throw asRefusal(error);
  }
  return [fields, files];
}

function asRefusal(error: unknown): unknown {
  const { statusCode } = error as { statusCode?: number };
  if (error instanceof HttpError) return error;
  if (statusCode === 413) return new TooLarge();
  // Busboy's own errors (a missing boundary, an unexpected end) carry no status: the request is malformed.
  return new ParameterError('Invalid multipart body');
}
