import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { readTar } from '../../platform/git/archive/tar.ts';
import { openArchiveFile } from '../artifacts/public.ts';

/** Limits on searching an archive for one file. */
export interface PackedLimits {
  readonly entries: number;
  /** Maximum size of the extracted file in bytes. */
  readonly file: number;
}

/** The file is not an archive, or a malicious one. */
export class BadArchive extends Error {
  override readonly name = 'BadArchive';
}

/**
 * Extracts the first matching file of a compressed tar; undefined if none matches. Preceding entries are discarded, and
 * following ones are not read.
 */
export async function fileOfTar(
  packed: Readable,
  pattern: RegExp,
  /** Includes the maximum number of bytes unpacked during the search. */
  limits: PackedLimits & { readonly bytes: number },
): Promise<Buffer | undefined> {
  const gunzip = createGunzip();
  const feeding = pipeline(packed, gunzip);
  feeding.catch(() => undefined);
  try {
    return await fileOfPlainTar(gunzip, pattern, limits);
  } finally {
    gunzip.destroy();
  }
}

/** The same for an uncompressed tar. */
export async function fileOfPlainTar(
  tar: Readable,
  pattern: RegExp,
  limits: PackedLimits & { readonly bytes: number },
): Promise<Buffer | undefined> {
  let entries = 0;
  try {
    for await (const { kind, path, size, content } of readTar(bounded(tar, limits.bytes))) {
      if (++entries > limits.entries) throw new BadArchive('it has too many entries');
      if (!Number.isSafeInteger(size) || size < 0) throw new BadArchive('it has an entry with an invalid size');
      if (kind === 'file' && pattern.test(path)) return await whole(content, limits.file);
    }
    return undefined;
  } catch (error) {
    throw asBadArchive(error);
  } finally {
    tar.destroy();
  }
}

/** Extracts the first matching file of a zip on disk; undefined if none matches. */
export async function fileOfZip(path: string, pattern: RegExp, limits: PackedLimits): Promise<Buffer | undefined> {
  const archive = await openArchiveFile(path).catch((error: unknown) => {
    throw asBadArchive(error);
  });
  try {
    if (archive.entryCount > limits.entries) throw new BadArchive('it has too many entries');
    for await (const entry of archive.entries()) {
      const content = pattern.test(entry.path) ? await entry.open() : undefined;
      if (content) return await whole(content, limits.file);
    }
    return undefined;
  } catch (error) {
    throw asBadArchive(error);
  } finally {
    archive.close();
  }
}

async function whole(content: AsyncIterable<Buffer> | Iterable<Buffer>, maxSize: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of bounded(content, maxSize)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* bounded(
  source: AsyncIterable<Buffer> | Iterable<Buffer>,
  maxSize: number,
): AsyncGenerator<Buffer, void> {
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    if (bytes > maxSize) throw new BadArchive(`it unpacks to more than ${maxSize} bytes`);
    yield chunk;
  }
}

/** Errors not caused by the archive, such as a full disk, are passed through. */
function asBadArchive(error: unknown): unknown {
  if (error instanceof BadArchive || (error instanceof Error && 'syscall' in error)) return error;
  return new BadArchive(error instanceof Error ? error.message : String(error));
}
