import { mkdir } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HttpError, ParameterError, TooLarge } from './errors.ts';
import { checkJsonShape, type Nested, parseNested } from './nested-params.ts';

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

// Where no route was found the body stays unread: the path may yet be found without its suffix.
function keepsStream(request: FastifyRequest): boolean {
  return request.is404 || request.routeOptions.config.rawBody === true;
}

/**
 * JSON and forms are read as text, other types refused. Multipart forms, and whatever a route takes as a stream, are
 * left as they come.
 */
export async function readBodies(app: FastifyInstance, spool: string): Promise<void> {
  await mkdir(spool, { recursive: true });
  app.removeAllContentTypeParsers();

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
  app.addContentTypeParser('multipart/form-data', (_request, payload, done) => done(null, payload));
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
