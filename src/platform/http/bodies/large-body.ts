import { type Duplex, Readable, Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import { HttpError } from '../errors.ts';
import { type Nested, parseNested } from '../parameters/nested-params.ts';
import { refuseBombs } from './inflation.ts';
import { isMultipart, readMultipart } from './multipart.ts';
import { InvalidJson, readStreamedJson } from './streamed-json.ts';
import type { SpooledText, UploadedFile } from './upload.ts';

export interface LargeBodyOptions {
  readonly limit: number;
  readonly spool: string;
  /** Called once the body exceeds `from`: the size of a compressed one is not known before. */
  readonly large?: { readonly from: number; readonly allow: () => Promise<void> };
}

/** A large body as parameters; `remove` deletes spooled files. */
export interface LargeBody {
  readonly fields: Nested;
  readonly size: number;
  remove(): Promise<void>;
}

// Forms are read as one text; nobody sends files of hundreds of megabytes percent-encoded.
const formLimit = 32 * 1024 * 1024;

function tooLarge(size: number, limit: number): HttpError {
  const text = `RequestBody: upload failed: the upload size ${size} is over maximum of ${limit} bytes: entity is too large`;
  return new HttpError(413, { message: text }, { connection: 'close' });
}

/** Rejects a body by its Content-Length, before any of it is read or counted. */
export function refuseAnnounced({ headers }: FastifyRequest, limit: number): void {
  const announced = Number(headers['content-length'] ?? 0);
  if (announced > limit) throw tooLarge(announced, limit);
}

/** Counts bytes, and rejects a body as soon as it exceeds the limit. */
class Counter extends Transform {
  size = 0;
  readonly #limit: number;
  #large: LargeBodyOptions['large'];

  constructor(limit: number, large: LargeBodyOptions['large']) {
    super();
    this.#limit = limit;
    this.#large = large;
  }

  override _transform(chunk: Buffer, _encoding: string, done: (error?: Error | null, data?: Buffer) => void): void {
    this.size += chunk.length;
    if (this.size > this.#limit) done(tooLarge(this.size, this.#limit));
    else if (this.#large && this.size > this.#large.from) this.#ask(this.#large, chunk, done);
    else done(null, chunk);
  }

  #ask(
    { allow }: NonNullable<LargeBodyOptions['large']>,
    chunk: Buffer,
    done: (error?: Error | null, data?: Buffer) => void,
  ): void {
    this.#large = undefined;
    allow().then(
      () => done(null, chunk),
      (error: Error) => done(error),
    );
  }
}

/**
 * Reads the body of a route that handles the stream itself: JSON (also without a content type), a form, or multipart
 * fields.
 */
export async function readLargeBody(request: FastifyRequest, options: LargeBodyOptions): Promise<LargeBody> {
  const body = (request.body as Readable | undefined) ?? Readable.from([]);
  try {
    return await readParameters(request, body, options);
  } catch (error) {
    // The rest must be consumed: the connection's next request follows it.
    body.unpipe();
    body.resume();
    throw error;
  }
}

async function readParameters(
  request: FastifyRequest,
  body: Readable,
  { limit, spool, large }: LargeBodyOptions,
): Promise<LargeBody> {
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  refuseAnnounced(request, limit);
  const counter = new Counter(type === 'application/x-www-form-urlencoded' ? Math.min(limit, formLimit) : limit, large);
  const plain = request.headers['content-encoding'] === 'gzip' ? unpacked(body) : body;
  const counted = chain(plain, counter);
  if (isMultipart(request)) return readFields(request, counter, { limit, spool });
  if (type === 'application/x-www-form-urlencoded') {
    const text = Buffer.concat((await counted.toArray()) as Buffer[]).toString();
    return { fields: parseNested(text), size: counter.size, remove: async () => {} };
  }
  if (type !== '' && type !== 'application/json') {
    throw new HttpError(400, { message: `400 Bad request - Unsupported Content-Type: ${type}` });
  }
  const { value, spooled } = await readStreamedJson(counted, spool).catch((error: unknown) => {
    if (!(error instanceof InvalidJson)) throw error;
    // With an empty body, all parameters may be in the URL.
    if (counter.size === 0) return { value: {}, spooled: [] };
    throw new HttpError(400, { message: 'Invalid json', error: 'Invalid json' });
  });
  const fields = typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Nested) : {};
  return { fields, size: counter.size, remove: () => removeAll(spooled) };
}

function unpacked(body: Readable): Readable {
  let received = 0;
  body.on('data', (chunk: Buffer) => {
    received += chunk.length;
  });
  return chain(
    chain(body, createGunzip()),
    refuseBombs(() => received),
  );
}

function chain(source: Readable, next: Duplex): Readable {
  source.once('error', (error) => next.destroy(error));
  return source.pipe(next);
}

async function readFields(
  request: FastifyRequest,
  counter: Counter,
  { limit, spool }: LargeBodyOptions,
): Promise<LargeBody> {
  const [fields, files] = await readMultipart(request, { spool, fileLimit: limit }, counter);
  await removeAll(files);
  if (files.length === 0) return { fields, size: counter.size, remove: async () => {} };
  throw new HttpError(400, { message: '400 Bad request - Unsupported Content-Type: multipart/form-data' });
}

async function removeAll(spooled: readonly (SpooledText | UploadedFile)[]): Promise<void> {
  await Promise.all(spooled.map((file) => file.remove()));
}
