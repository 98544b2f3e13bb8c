import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Readable, Transform, type TransformCallback } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createDeflate } from 'node:zlib';
import { temporaryName } from './loose-folders.ts';
import { loosePath, objectHeader, type StagedFile } from './loose-object.ts';

/** A blob written to a temporary file. */
export interface SpooledBlob {
  readonly oid: string;
  readonly size: number;
  readonly file: StagedFile;
}

/** Thrown when a blob exceeds the caller's limit. */
export class BlobTooLargeError extends Error {
  override readonly name = 'BlobTooLargeError';
}

/**
 * Writes a blob of any size to a temporary file in constant memory. git hashes the size in front of the content, so a
 * stream of unknown length is written as is first and then hashed and compressed from there.
 */
export async function spoolBlob(folder: string, source: Readable, limit: number): Promise<SpooledBlob> {
  const plain = temporaryName(folder);
  try {
    const size = await writeStream(plain, source, limit);
    return await compressFile(folder, plain, size);
  } finally {
    await rm(plain, { force: true });
  }
}

async function compressFile(folder: string, plain: string, size: number): Promise<SpooledBlob> {
  const hash = createHash('sha1');
  const from = temporaryName(folder);
  try {
    const source = Readable.from(prefixed(objectHeader('blob', size), createReadStream(plain)));
    const hashing = tap((chunk) => hash.update(chunk));
    const target = createWriteStream(from, { flags: 'wx', mode: 0o444, flush: true });
    await pipeline(source, hashing, createDeflate({ level: 1 }), target);
  } catch (error) {
    await rm(from, { force: true });
    throw error;
  }
  const oid = hash.digest('hex');
  return { oid, size, file: { from, to: loosePath(folder, oid) } };
}

async function writeStream(path: string, source: Readable, limit: number): Promise<number> {
  let size = 0;
  const counter = tap((chunk) => {
    size += chunk.length;
    if (size > limit) throw new BlobTooLargeError(`more than ${limit} bytes`);
  });
  await pipeline(source, counter, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
  return size;
}

async function* prefixed(head: string, rest: Readable): AsyncGenerator<Buffer> {
  yield Buffer.from(head, 'latin1');
  for await (const chunk of rest) yield chunk as Buffer;
}

function tap(see: (chunk: Buffer) => void): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding: BufferEncoding, callback: TransformCallback) {
      try {
        see(chunk);
        callback(null, chunk);
      } catch (error) {
        callback(error as Error);
      }
    },
  });
}
