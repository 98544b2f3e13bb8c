import type { IncomingMessage } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib';
import { MalformedBody, OversizedBody, UnknownEncoding } from './refusal.ts';

const MiB = 1024 * 1024;
/** Maximum body size, both compressed and decompressed. */
const maxBytes = 20 * MiB;

/** Limits the window to 8 MiB: by default a few bytes of zstd can request 128 MiB. */
const zstd = { params: { [constants.ZSTD_d_windowLogMax]: 23 } };

/** Yields the decompressed body as it arrives. Never exceeds the limit, however well it is compressed. */
export async function* readBody(request: IncomingMessage): AsyncGenerator<Buffer> {
  const encoding = String(request.headers['content-encoding'] ?? '')
    .trim()
    .toLowerCase();
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw new OversizedBody();
  const bytes = limited(request);
  if (isNone(encoding)) yield* bytes;
  else if (encoding === 'deflate') yield* inflated(bytes);
  else yield* decompressed(bytes, decompressor(encoding));
}

/** Ruby sends an empty encoding, and old Android SDKs `utf-8`. */
function isNone(encoding: string): boolean {
  return encoding === '' || encoding === 'identity' || encoding === 'utf-8';
}

function decompressor(encoding: string): Transform {
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip();
  if (encoding === 'br') return createBrotliDecompress();
  if (encoding === 'zstd') return createZstdDecompress(zstd);
  throw new UnknownEncoding();
}

/** `deflate` usually has a zlib header, but some clients send raw deflate data. */
async function* inflated(bytes: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const { value: first } = await bytes.next();
  if (!first) throw new MalformedBody('empty request body');
  const [method = 0, flags = 0] = first;
  const wrapped = (method & 0x0f) === 8 && ((method << 8) | flags) % 31 === 0;
  async function* whole() {
    yield first;
    yield* bytes;
  }
  yield* decompressed(whole(), wrapped ? createInflate() : createInflateRaw());
}

async function* decompressed(bytes: AsyncIterable<Buffer>, through: Transform): AsyncGenerator<Buffer> {
  const feeding = feed(bytes, through);
  try {
    yield* limited(through);
  } catch (error) {
    if (error instanceof Error && 'code' in error && /^(Z_|ERR_|ZSTD_)/.test(String(error.code))) {
      throw new MalformedBody('the body cannot be decompressed');
    }
    throw error;
  } finally {
    through.destroy();
    await feeding;
  }
}

/** Writes to the decompressor with backpressure and forwards errors to it. */
async function feed(bytes: AsyncIterable<Buffer>, through: Transform): Promise<void> {
  try {
    for await (const chunk of bytes) {
      if (through.destroyed) return;
      if (!through.write(chunk)) await drained(through);
    }
    through.end();
  } catch (error) {
    through.destroy(error as Error);
  }
}

function drained(through: Transform): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      through.off('drain', done).off('close', done);
      resolve();
    };
    through.once('drain', done).once('close', done);
  });
}

async function* limited(source: Readable): AsyncGenerator<Buffer> {
  let size = 0;
  // Do not destroy the socket on early return: the response is still to be sent.
  for await (const chunk of source.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new OversizedBody();
    yield chunk;
  }
}
