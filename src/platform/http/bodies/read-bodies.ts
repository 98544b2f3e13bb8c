import { mkdir } from 'node:fs/promises';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HttpError, ParameterError } from '../errors.ts';
import { checkJsonShape, JsonOutline, type Nested, parseNested } from '../parameters/nested-params.ts';
import { refuseBombs } from './inflation.ts';

function unsupported(type: string): HttpError {
  return new HttpError(415, { error: `The provided content-type '${type}' is not supported.` });
}

function parseJson(bytes: Buffer): Nested {
  new JsonOutline().take(bytes);
  const text = textOf(bytes);
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ParameterError('Invalid JSON format');
  }
  checkJsonShape(value);
  // A body that is not an object has no parameters.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Nested) : {};
}

const readers: Readonly<Record<string, (bytes: Buffer) => Nested>> = {
  'application/json': parseJson,
  'application/x-www-form-urlencoded': (bytes) => parseNested(textOf(bytes)),
};

// Without a matching route the body stays unread: the path may still match without its suffix.
function keepsStream(request: FastifyRequest): boolean {
  return request.is404 || request.routeOptions.config.rawBody === true;
}

/**
 * Reads JSON and forms as text and rejects other types. Multipart forms, and what a route takes as a stream, are left
 * unread.
 */
export async function readBodies(app: FastifyInstance, spool: string): Promise<void> {
  await mkdir(spool, { recursive: true });
  app.removeAllContentTypeParsers();

  app.addHook('preParsing', (request, _reply, payload, done) => {
    if (request.headers['content-encoding'] !== 'gzip' || keepsStream(request)) return done(null, payload);
    let received = 0;
    payload.on('data', (chunk: Buffer) => {
      received += chunk.length;
      inflated.receivedEncodedLength = received;
    });
    const bombs = refuseBombs(() => received);
    // Failures reach the reader through the last stream.
    pipeline(payload, createGunzip(), bombs, () => undefined);
    const inflated = Object.assign(bombs, { receivedEncodedLength: 0 });
    done(null, inflated);
  });

  for (const [type, reader] of Object.entries(readers)) {
    app.addContentTypeParser(type, async (request: FastifyRequest, payload: NodeJS.ReadableStream) =>
      keepsStream(request) ? payload : reader(await readBytes(request, payload)),
    );
  }
  app.addContentTypeParser('multipart/form-data', (_request, payload, done) => done(null, payload));
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: NodeJS.ReadableStream) => {
    if (keepsStream(request)) return payload;
    const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim() ?? '';
    if ((await readBytes(request, payload)).length === 0) return {};
    throw unsupported(type);
  });
}

async function readBytes(request: FastifyRequest, payload: NodeJS.ReadableStream): Promise<Buffer> {
  const limit = request.early?.bodyLimit ?? request.routeOptions.bodyLimit ?? 0;
  const chunks: Buffer[] = [];
  let size = 0;
  // A request must not be destroyed: the rest of a body that is too large is discarded before the connection is closed.
  const destroyOnReturn = payload !== request.raw;
  for await (const chunk of (payload as Readable).iterator({ destroyOnReturn }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) {
      request.early?.refuse();
      throw new HttpError(413, { message: '413 Request Entity Too Large' }, { connection: 'close' });
    }
    chunks.push(chunk);
  }
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new HttpError(400, 'Bad Request', { 'content-type': 'text/plain' });
  }
}
