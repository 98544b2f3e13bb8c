import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { readTar } from '../../platform/git/archive/tar.ts';
import { openArchiveFile } from '../artifacts/public.ts';

/** How far an archive is read in search of one file of it. */
export interface PackedLimits {
  readonly entries: number;
  /** The bytes of the file that is wanted. */
  readonly file: number;
}

/** It is no archive, or one that is meant to do harm. */
export class BadArchive extends Error {
  override readonly name = 'BadArchive';
}

/**
 * The first file of a compressed tar whose path fits; undefined where none does. Nothing is kept of what stands before
 * it, and nothing is read of what stands behind.
 */
export async function fileOfTar(
  packed: Readable,
  wanted: RegExp,
  /** And how many bytes may come out of it until then. */
  limits: PackedLimits & { readonly bytes: number },
): Promise<Buffer | undefined> {
  const gunzip = createGunzip();
  const feeding = pipeline(packed, gunzip);
  feeding.catch(() => undefined);
  try {
    return await fileOfPlainTar(gunzip, wanted, limits);
  } finally {
    gunzip.destroy();
  }
}

/** The same of a tar that is not compressed. */
export async function fileOfPlainTar(
  tar: Readable,
  wanted: RegExp,
  limits: PackedLimits & { readonly bytes: number },
): Promise<Buffer | undefined> {
  let entries = 0;
  try {
    for await (const { kind, path, size, content } of readTar(bounded(tar, limits.bytes))) {
      if (++entries > limits.entries) throw new BadArchive('it has too many entries');
      if (!Number.isSafeInteger(size) || size < 0) throw new BadArchive('it has an entry of no size');
      if (kind === 'file' && wanted.test(path)) return await whole(content, limits.file);
    }
    return undefined;
  } catch (error) {
    throw asBadArchive(error);
  } finally {
    tar.destroy();
  }
}

/** The first file of a zip on disk whose path fits; undefined where none does. */
export async function fileOfZip(path: string, wanted: RegExp, limits: PackedLimits): Promise<Buffer | undefined> {
  const archive = await openArchiveFile(path).catch((error: unknown) => {
    throw asBadArchive(error);
  });
  try {
    if (archive.entryCount > limits.entries) throw new BadArchive('it has too many entries');
    for await (const entry of archive.entries()) {
      const content = wanted.test(entry.path) ? await entry.open() : undefined;
      if (content) return await whole(content, limits.file);
    }
    return undefined;
  } catch (error) {
    throw asBadArchive(error);
  } finally {
    archive.close();
  }
}

async function whole(content: AsyncIterable<Buffer> | Iterable<Buffer>, most: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of bounded(content, most)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* bounded(source: AsyncIterable<Buffer> | Iterable<Buffer>, most: number): AsyncGenerator<Buffer, void> {
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    if (bytes > most) throw new BadArchive(`more than ${most} bytes come out of it`);
    yield chunk;
  }
}

/** What the file has no part in, a full disk say, stays what it is. */
function asBadArchive(error: unknown): unknown {
  if (error instanceof BadArchive || (error instanceof Error && 'syscall' in error)) return error;
  return new BadArchive(error instanceof Error ? error.message : String(error));
}
